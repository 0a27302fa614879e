"""Checking of arguments as scikit-learn does it, in a few microseconds for arrays.

Every function has its quick way first: a one-dimensional NumPy array of the right type is looked at, not
copied and not searched. Everything else (lists, columns of dataframes, Arrow, sparse) takes the slow way after it.
"""
