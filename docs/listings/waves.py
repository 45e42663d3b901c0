# SPDX-License-Identifier: GPL-2.0-or-later
import numpy

x = numpy.linspace(-4, 4, 64, dtype=numpy.float32)
numpy.save('sines.npy', numpy.sin(x[:, None] * x))
numpy.save('cosines.npy', numpy.cos(x[:, None] + x))
