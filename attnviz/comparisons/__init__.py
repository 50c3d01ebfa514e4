"""Attention beside what came before it and what it becomes elsewhere, on numpy arrays alone.

window.py       a fully connected layer over a window of neighbours
convolution.py  a convolution, and the same written as attention: one head for each kernel cell
fields.py       which inputs an output can see: fixed fields, and one that a head can shape
pictures.py     a picture as a set of vectors, and one pixel that asks
speech.py       frames of sound: how many scores a truncated window leaves
labelling.py    one label for each vector, with its context
recurrence.py   an RNN, step by step: who waits, and what is left of the first input
graph.py        attention along the edges of a graph, and graph attention networks
linear.py       linear attention: the same sum in another order
costs.py        work, steps that wait, and the way between the ends, for four kinds of layer
measured.py     how long those layers take on the machine at hand
"""
