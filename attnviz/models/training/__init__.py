"""Teaching a small self-attention model, one whose every number can be watched.

tasks.py        what can be taught: sentences drawn from a seed, and the tag of each word
task_tables.py  a task of a person's own, from a small table
learning.py     the plan of a training, a moment of it, and what the model says then
train.py        Adam on batches drawn from the seed, with snapshots
trainer.py      trainings seen from the web pages: each in a process of its own, a few at a time
trained.py      what such a process was asked, and what has come of it so far
serve.py        what runs in it
saved.py        a trained model as a file of weights
data_size.py    a convolution and attention on little data and on much: the curves in data_size.json
make_data_size.py  the script that made them

train, serve and make_data_size bring torch; the others need numpy alone.
"""
