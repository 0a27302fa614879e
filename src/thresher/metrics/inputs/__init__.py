"""Checking of arguments as scikit-learn does it, at a few microseconds for what is an array already.

Every function has its quick way first: a one-dimensional NumPy array of the right type is looked at, not
copied and not searched. Everything else (lists, columns of dataframes, Arrow, sparse) takes the slow way after it.
"""
