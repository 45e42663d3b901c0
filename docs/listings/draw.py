# SPDX-License-Identifier: GPL-2.0-or-later
import matplotlib
matplotlib.use('Agg')
from matplotlib import pyplot
import numpy

pyplot.imshow(numpy.load('result.npy'))
pyplot.title('|sines - cosines| in bf16')
pyplot.colorbar()
pyplot.savefig('result.png')
