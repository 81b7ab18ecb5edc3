"""The parts of `measure.py`. Each uses only those before it.

suites      what is sorted, and where and with what
process     programs and functions in processes of their own, and what they took
throttle    a slow disk
contenders  one measurement each: cp, the floor, sortwell
records     files cut into records
packing     compressed inputs
inputs      the files to sort, made once
checks      whether an output is right, without the help of the program under test
machine     what the figures were taken on
tables      figures as text, for people and for pages
"""
