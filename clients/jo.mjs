// Asks a computer seat what it does (docs/serving.md). No dependencies: any JavaScript with fetch.

export class JoError extends Error {
  constructor({ code, message, field }) {
    super(message);
    this.name = "JoError";
    this.code = code; // one of the published list; "busy" and "internal" may be asked again
    this.field = field; // what is wrong in the request, or null
  }
}

/**
 * What the seat of a view does: `{move, think_ms, source, model, degraded}`; play `move` after `think_ms`.
 *
 * `options` go into the request: level, seed, deadline_ms, rejected, plan, model. Throws JoError for a request
 * that is refused, and what fetch throws where the service is not there.
 */
export async function act(url, view, { token, id = 1, ...options } = {}) {
  const response = await fetch(`${url}/v1/act`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...(token && { Authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ id, view, ...options }),
    signal: AbortSignal.timeout((options.deadline_ms ?? 1000) + 2000),
  });
  const answer = await response.json();
  if (answer.error) throw new JoError(answer.error);
  return answer;
}
