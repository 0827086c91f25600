"""Approximate policy iteration: a planner that learns from hands in which every seat now and then explores.

    explore -> rows (what a move looks like, what the hand brought) -> fit -> advantages -> explore ...

One iteration: planners play whole hands, all seats with the advantages learned so far, and at some
decisions draw evenly among the moves worth comparing, the candidates. What the seat receives for the hand,
less what a critic that sees the whole table expects, is a sample of the advantage of that move over the
others: noisy, but unbiased, and there are thousands a second. A small network for each kind of decision is
fitted to them by least squares; playing its best move is the next policy (Howard, 1960; with Monte-Carlo
samples, exploring moves and function approximation: Bertsekas and Tsitsiklis, 1996).

What differs between games is in `agents/<game>/iteration/`: the candidates and their traits, how a hand
stands, and the compiled loop that plays.
"""
