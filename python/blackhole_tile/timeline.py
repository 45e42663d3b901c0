# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/timeline: what happened in a tile, as text, JSON, picture or for
Perfetto."""

from __future__ import annotations

import argparse
import json
import sys
from typing import BinaryIO, Dict, List, Optional

from . import perfetto, timeline_svg
from .cli import Parser, Progress, UseError, by_hart, error_line
from .timeline_bottleneck import write_bottleneck
from .timeline_cycles import model_of
from .timeline_file import TimelineError, TimelineFile
from .timeline_lines import write_lines
from .timeline_model import SCALE, Model
from .timeline_recorded import Recorded
from .timeline_tracks import Sample

AXIS_TEXT = {
    'order': 'one event after the other; no measure of time',
    'virtual-ns': 'virtual time of the machine, %d positions a nanosecond'
                  % SCALE,
    'cycles': 'estimated cycles (published figures), %d positions a cycle'
              % SCALE,
}


def arguments(argv: Optional[List[str]]) -> argparse.Namespace:
    """The command line."""
    parser = Parser(
        'timeline', 'Reads the file of -M blackhole-tile,timeline=FILE.')
    parser.add_argument('file', metavar='FILE')
    parser.add_argument('-o', '--output', metavar='OUT', default='-',
                        help='instead of standard output')
    parser.add_argument('--format', default='text',
                        choices=('text', 'lines', 'bottleneck', 'json',
                                 'perfetto', 'svg'),
                        help='lines: a sum for each source line; bottleneck: '
                        'where estimated cycles go; perfetto: '
                        'for https://ui.perfetto.dev')
    parser.add_argument('--elf', action='append', default=[],
                        metavar='HART=FILE', help="names a hart's functions "
                        "where the machine had no ELF file")
    parser.add_argument('--from', dest='first', type=int, metavar='N',
                        help='svg: the first position, or cycle '
                        '(default: 0)')
    parser.add_argument('--to', dest='last', type=int, metavar='N',
                        help='svg: the last position')
    parser.add_argument('--partial', action='store_true',
                        help='takes what there is of a file without an end')
    return parser.parse_args(argv)


def write_text(file: TimelineFile, out: BinaryIO) -> None:
    """A line an event."""
    out.write(('# axis: %s, %s\n'
               % (file.axis, AXIS_TEXT[file.axis])).encode())
    of_tile: Dict[str, Recorded] = {}
    for n, (kind, numbers) in enumerate(file.events()):
        tile = file.stream.tile
        recorded = of_tile.setdefault(tile, Recorded(file))
        origins = recorded.origins(numbers) if kind.is_insn else {}
        recorded.see(kind.name, numbers)
        out.write(('%d %s%s\n' % (n, 'tile %s: ' % tile if tile else '',
                                  file.event_text(kind, numbers, origins)))
                  .encode())


def sample_row(sample: Sample) -> Dict[str, object]:
    """Of one tile it says nothing of tiles."""
    row = sample._asdict()
    if not sample.tile:
        del row['tile']
    return row


def write_json(file: TimelineFile, model: Model, out: BinaryIO) -> None:
    """A line a span, so that other tools need not read all of it at once."""
    out.write(('{"axis": %s, "axis_text": %s, "notes": %s,\n"spans": ['
               % (json.dumps(file.axis), json.dumps(AXIS_TEXT[file.axis]),
                  json.dumps(file.notes))).encode())
    for n, span in enumerate(model.spans):
        row = {'track': span.track, 'start': span.start, 'end': span.end,
               'name': span.name, 'details': span.details}
        if span.tile:
            row['tile'] = span.tile
        if span.flow:
            row['push' if span.is_push else 'from push'] = span.flow
        out.write((',\n' if n else '\n').encode() + json.dumps(row).encode())
    out.write(b'],\n"counters": [')
    for n, sample in enumerate(model.samples):
        out.write((',\n' if n else '\n').encode()
                  + json.dumps(sample_row(sample)).encode())
    out.write(b']}\n')


def write(options: argparse.Namespace, file: TimelineFile,
          out: BinaryIO) -> None:
    """In the form that was asked for."""
    if options.format == 'text':
        write_text(file, out)
        return
    model = model_of(file)
    for note in file.notes:
        print('timeline: ' + note, file=sys.stderr)
    if options.format == 'lines':
        write_lines(model, out)
    elif options.format == 'bottleneck':
        write_bottleneck(model, out)
    elif options.format == 'json':
        write_json(file, model, out)
    elif options.format == 'svg':
        timeline_svg.write_picture(model, out, options.first, options.last)
    else:
        perfetto.write_trace(model, out, 'axis: %s, %s'
                             % (file.axis, AXIS_TEXT[file.axis]))


def main(argv: Optional[List[str]] = None) -> int:
    """Returns the exit status."""
    options = arguments(argv)
    progress = Progress('timeline')
    try:
        file = TimelineFile(options.file, options.partial,
                            by_hart(options.elf))
        if not file.complete:
            print('timeline: %s: no end: what follows is not all'
                  % options.file, file=sys.stderr)
        if options.output != '-' or not sys.stdout.isatty():
            file.report = progress.report
        if options.output == '-':
            write(options, file, sys.stdout.buffer)
        else:
            with open(options.output, 'wb') as out:
                write(options, file, out)
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    except (OSError, TimelineError, UseError) as error:
        progress.close()
        print(error_line('timeline', error), file=sys.stderr)
        return 1
    progress.close()
    return 0


if __name__ == '__main__':
    sys.exit(main())
