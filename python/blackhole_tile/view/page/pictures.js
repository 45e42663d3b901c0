// SPDX-License-Identifier: GPL-2.0-or-later
//
// Register files as pictures on canvases. As scripts/picture: red is positive,
// blue negative, white 0, magenta not finite, hatched not valid; 64 rows of 16
// columns are a tile of four faces.
'use strict';

const FACE = 16, TILE = 32, TILE_ROWS = 64, TILES_ACROSS = 4;
const NEGATIVE = [5, 48, 160], POSITIVE = [165, 0, 30];
const NOT_FINITE = [255, 0, 255], HATCH = [[236, 238, 241], [176, 182, 190]];
const HATCH_STEP = 4;                   // pixels
const PICTURES = [
    {name: 'dest', title: 'Dest', wide: true},
    {name: 'srca', bank: 0, title: 'SrcA bank 0'},
    {name: 'srca', bank: 1, title: 'SrcA bank 1'},
    {name: 'srcb', bank: 0, title: 'SrcB bank 0'},
    {name: 'srcb', bank: 1, title: 'SrcB bank 1'},
    {name: 'lregs', title: 'LReg', wide: true, format: 'fp32'},
];

// Where a number is in a picture, how large the picture is, in numbers, and a
// number, in pixels.
function layoutOf(data) {
    const tiled = data.columns === FACE && data.rows % TILE_ROWS === 0;
    if (!tiled) {
        return {width: data.columns, height: data.rows, cell: 8,
                at: (row, column) => [column, row],
                from: (x, y) => [y, x]};
    }
    const tiles = data.rows / TILE_ROWS;
    const across = Math.min(tiles, TILES_ACROSS);
    return {
        width: across * TILE, height: Math.ceil(tiles / across) * TILE,
        cell: 4,
        at(row, column) {
            const tile = Math.floor(row / TILE_ROWS), inside = row % TILE_ROWS;
            const face = Math.floor(inside / FACE);
            return [tile % across * TILE + face % 2 * FACE + column,
                    Math.floor(tile / across) * TILE +
                    Math.floor(face / 2) * FACE + inside % FACE];
        },
        from(x, y) {
            const tile = Math.floor(y / TILE) * across + Math.floor(x / TILE);
            const face = Math.floor(y % TILE / FACE) * 2 +
                         Math.floor(x % TILE / FACE);
            return [tile * TILE_ROWS + face * FACE + y % FACE, x % FACE];
        },
    };
}

function largest(data) {
    let most = 0;
    data.values.forEach((value, n) => {
        if (typeof value === 'number' &&
            data.valid[Math.floor(n / data.columns)]) {
            most = Math.max(most, Math.abs(value));
        }
    });
    return most;
}

function colourOf(value, most) {
    if (typeof value !== 'number') {
        return NOT_FINITE;
    }
    const part = most ? Math.min(Math.abs(value) / most, 1) : 0;
    const end = value < 0 ? NEGATIVE : POSITIVE;
    return end.map(level => Math.round(255 + (level - 255) * part));
}

// A cell, whose colour may depend on the pixel.
function fill(image, x, y, size, colour) {
    for (let dy = y * size; dy < (y + 1) * size; dy++) {
        for (let dx = x * size; dx < (x + 1) * size; dx++) {
            const [red, green, blue] = colour(dx, dy);
            const at = (dy * image.width + dx) * 4;
            image.data.set([red, green, blue, 255], at);
        }
    }
}

function borders(context, layout) {
    const {width, height, cell} = layout;
    for (const [step, style] of [[FACE, '#0002'], [TILE, '#0007']]) {
        context.fillStyle = style;
        for (let x = step; x < width; x += step) {
            context.fillRect(x * cell, 0, 1, height * cell);
        }
        for (let y = step; y < height; y += step) {
            context.fillRect(0, y * cell, width * cell, 1);
        }
    }
}

function draw(canvas, data, most) {
    const layout = layoutOf(data);
    canvas.width = layout.width * layout.cell;
    canvas.height = layout.height * layout.cell;
    const context = canvas.getContext('2d');
    const image = context.createImageData(canvas.width, canvas.height);
    const hatch = (x, y) => HATCH[(x + y) % HATCH_STEP ? 0 : 1];
    data.values.forEach((value, n) => {
        const row = Math.floor(n / data.columns);
        const [x, y] = layout.at(row, n % data.columns);
        const colour = colourOf(value, most);
        fill(image, x, y, layout.cell, data.valid[row] ? () => colour : hatch);
    });
    context.putImageData(image, 0, 0);
    if (data.columns === FACE) {
        borders(context, layout);
    }
}

// What a place of a canvas shows, in words.
function probe(canvas, data, event) {
    const box = canvas.getBoundingClientRect(), layout = layoutOf(data);
    const x = Math.floor((event.clientX - box.left) / box.width * layout.width);
    const y = Math.floor((event.clientY - box.top) / box.height *
                         layout.height);
    const [row, column] = layout.from(x, y);
    if (!(row >= 0 && row < data.rows && column >= 0 &&
          column < data.columns)) {
        return '';
    }
    const n = row * data.columns + column;
    const unit = data.columns === FACE ? ['row', 'column'] : ['LReg', 'lane'];
    return `${unit[0]} ${row}, ${unit[1]} ${column}: ` +
        `${data.values[n]} (0x${data.cells[n].toString(16)})` +
        (data.valid[row] ? '' : ', not valid: reads as 0');
}

// What is said beside a picture.
function note(data) {
    const most = largest(data), bad = data.valid.filter(v => !v).length;
    const scale = document.createElement('span');
    scale.className = 'scale';
    const range = most ? [`−${most.toPrecision(3)} `, scale,
                          ` ${most.toPrecision(3)}`] : ['all 0'];
    return [`${data.format}, `,
            ...bad === data.rows ? ['no row valid'] : range,
            bad && bad < data.rows ? `, ${bad} rows not valid` : '',
            data.owner ? ` (${data.owner})` : ''];
}

// One picture with its controls.
class Picture {
    constructor(what, parent, tell) {
        this.what = what;
        this.data = null;
        this.text = '';
        this.canvas = document.createElement('canvas');
        this.canvas.addEventListener('mousemove', event => this.data &&
            tell(`${what.title}: ${probe(this.canvas, this.data, event)}`));
        this.choice = this.makeChoice();
        this.note = document.createElement('span');
        this.note.className = 'faint';
        const caption = document.createElement('figcaption');
        const title = document.createElement('b');
        title.textContent = what.title;
        caption.append(title, ' ', this.choice, ' ', this.note);
        const figure = document.createElement('figure');
        figure.className = what.wide ? 'wide' : '';
        figure.append(caption, this.canvas);
        parent.append(figure);
    }

    makeChoice() {
        const choice = document.createElement('select');
        choice.setAttribute('aria-label', `format of ${this.what.title}`);
        choice.title = 'format; auto: as configured';
        choice.append(new Option('auto', ''));
        if (this.what.format) {
            choice.append(new Option(this.what.format, this.what.format));
            choice.value = this.what.format;
        }
        return choice;
    }

    offer(formats) {
        const known = new Set([...this.choice.options].map(o => o.value));
        for (const name of formats.filter(name => !known.has(name))) {
            this.choice.append(new Option(name, name));
        }
    }

    query() {
        const query = new URLSearchParams({name: this.what.name});
        if (this.what.bank !== undefined) {
            query.set('bank', this.what.bank);
        }
        if (this.choice.value) {
            query.set('format', this.choice.value);
        }
        return query;
    }

    show(text) {
        if (text === this.text) {
            return;
        }
        this.text = text;
        this.data = JSON.parse(text);
        this.offer(this.data.formats);
        draw(this.canvas, this.data, largest(this.data));
        this.note.replaceChildren(...note(this.data));
    }
}
