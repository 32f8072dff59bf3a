"""The console: six pages over what a library holds and how it answered (DEV_SPEC 3.5.5).

Pages are rendered on the server. A trace is shown by its span names and event kinds, never by
the names of providers, so a new provider appears without a change here.
"""
