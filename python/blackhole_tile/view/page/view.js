// SPDX-License-Identifier: GPL-2.0-or-later
//
// The page of scripts/view: asks the server what the tile does, and shows it.
// Text of the machine's goes into the page as text only, never as HTML.
'use strict';

const RUNNING_PAUSE = 400, STANDING_PAUSE = 1000;    // ms between two polls
const PICTURES_PAUSE = 1000, ANSWER_TIME = 12000;
const FIFO_SHOWN = 6;
const TOKEN_KEY = 'blackhole-tile token';

const byId = id => document.getElementById(id);
const hex = value => '0x' + value.toString(16).padStart(8, '0');

function set(node, text) {
    if (node.textContent !== text) {
        node.textContent = text;
    }
}

function make(tag, className, ...children) {
    const node = document.createElement(tag);
    if (className) {
        node.className = className;
    }
    node.append(...children);
    return node;
}

// --- the server ---

// The token is the address's last part; the tab keeps it for a reload, and the
// address bar, which one copies, loses it.
function token() {
    const given = location.hash.slice(1);
    if (given) {
        sessionStorage.setItem(TOKEN_KEY, given);
        history.replaceState(null, '', location.pathname);
    }
    return sessionStorage.getItem(TOKEN_KEY) || '';
}

const TOKEN = token();

class Trouble extends Error {
    constructor(text, answer = {}) {
        super(text);
        this.answer = answer;
    }
}

function troubleOf(status, text) {
    try {
        const answer = JSON.parse(text);
        return new Trouble(answer.error || `status ${status}`, answer);
    } catch {
        return new Trouble(`the server answers with status ${status}`);
    }
}

async function ask(path, options = {}) {
    let answer, text;
    try {
        answer = await fetch(path, {
            ...options, headers: {'X-Tile-Token': TOKEN},
            signal: AbortSignal.timeout(ANSWER_TIME)});
        text = await answer.text();
    } catch {
        throw new Trouble('no answer from the program that serves this page: has it ended?');
    }
    if (!answer.ok) {
        throw troubleOf(answer.status, text);
    }
    return text;
}

// --- one part of the page each ---

// Files by their last part, unless the pointer is on them.
function placeOf(frames, nameOf = file => file.split('/').pop()) {
    return frames.map((frame, n) =>
        (n ? 'inlined in ' : '') + (frame.function || '?') +
        (frame.file ? ` (${nameOf(frame.file)}:${frame.line})` : ''),
    ).join(', ');
}

const wholePlaceOf = frames => placeOf(frames, file => file);

function waitOf(wait) {
    if (!wait) {
        return '';
    }
    return wait.text + (wait.helpers.length ?
        ` — from ${wait.helpers.join(', ')}` : '');
}

function badge(node, state, unresolvable) {
    set(node, state + (unresolvable ? ', for ever' : ''));
    node.className = 'badge ' + state + (unresolvable ? ' unresolvable' : '');
}

function button(text, request, title) {
    const node = make('button', '', text);
    node.title = title || '';
    node.addEventListener('click', () => act(request));
    return node;
}

const hartRows = new Map();

function hartRow(name) {
    if (!hartRows.has(name)) {
        const cells = ['', '', 'pc', '', 'wait', 'buttons'].map(c => make('td', c));
        cells[3].style.whiteSpace = 'pre-line';
        const state = make('span', 'badge');
        cells[0].append(name);
        cells[1].append(state);
        for (const unit of ['instruction', 'line']) {
            cells[5].append(button(
                unit, {action: 'step-hart', hart: name, unit},
                `${name} alone executes one ${unit}`), ' ');
        }
        const row = make('tr', '', ...cells);
        row.dataset.hart = name;
        byId('harts').tBodies[0].append(row);
        byId('hart-shown').append(new Option(name, name));
        hartRows.set(name, {cells, state});
    }
    return hartRows.get(name);
}

// Lines of the innermost frame whose file is found.
function lineOf(hart) {
    for (const frame of hart.frames) {
        const here = frame.near.find(line => line.number === frame.line);
        if (here) {
            return here.text.trim();
        }
    }
    return '';
}

function showHart(hart, stopped) {
    const {cells, state} = hartRow(hart.hart);
    const line = lineOf(hart);
    badge(state, hart.state === 'running' && stopped ? 'stopped' : hart.state,
          hart.unresolvable);
    set(cells[2], hart.state === 'reset' ? '' : hex(hart.pc));
    set(cells[3], placeOf(hart.frames) + (line ? '\n' + line : ''));
    cells[3].title = wholePlaceOf(hart.frames);
    set(cells[4], hart.state === 'reset' ? '' : waitOf(hart.wait));
}

let hartChosen = false;
byId('hart-shown').addEventListener('change', () => {
    hartChosen = true;
    showSource(lastState);
});

// Until one is chosen: a hart that waits, or else one that runs.
function chooseHart(harts) {
    for (const state of ['waiting', 'running', 'paused', 'spinning']) {
        const found = harts.find(hart => hart.state === state && lineOf(hart));
        if (found) {
            return found.hart;
        }
    }
    return harts[0].hart;
}

function linesOf(frame) {
    return [make('div', 'faint', wholePlaceOf([frame])),
            ...frame.near.map(line => make(
                'div', line.number === frame.line ? 'here' : '',
                make('span', 'number', String(line.number)),
                line.text || ' '))];
}

function showSource(state) {
    const choice = byId('hart-shown');
    if (!hartChosen) {
        choice.value = chooseHart(state.harts);
    }
    const hart = state.harts.find(item => item.hart === choice.value);
    const found = hart.frames.filter(frame => frame.near.length);
    byId('source').replaceChildren(...found.length ? found.flatMap(linesOf) : [
        make('span', 'faint', !hart.frames.length ?
            'no source line is known here' :
            `${wholePlaceOf(hart.frames)}: no such file here; ` +
            'the option --source FOLDER names where it is')]);
}

function insnOf(insn) {
    if (!insn) {
        return '—';
    }
    const mop = insn['mop-word'], slot = insn['replay-slot'];
    return insn.text +
        (mop === undefined ? '' : `, MOP word ${mop}`) +
        (slot === undefined ? '' : `, REPLAY slot ${slot}`) +
        `\n${insn.hart} ${hex(insn.pc)}` +
        (insn.frames && insn.frames.length ? ` ${placeOf(insn.frames)}` : '');
}

function fifoOf(words) {
    const shown = words.slice(0, FIFO_SHOWN).map(insn => insn.mnemonic || '?');
    return !words.length ? 'empty' : `${words.length}: ${shown.join(', ')}` +
        (words.length > FIFO_SHOWN ? ', …' : '');
}

function mopOf(mop) {
    if (mop.state === 'idle') {
        return 'idle';
    }
    const where = mop.state === 'loop' ?
        `outer ${mop.outer} of ${mop['outer-count']}, ` +
        `inner ${mop.inner} of ${mop['inner-count']}` :
        `zmask ${hex(mop.mask)} remains`;
    return `${mop.state}: ${where}, ${mop.words} words made`;
}

function replayOf(replay) {
    const slots = make('span', 'slots');
    const end = replay.slot + replay.left;
    replay.buffer.forEach((word, n) => {
        const next = replay.state !== 'idle' &&
            (n >= replay.slot && n < end || n + 32 < end);
        const node = make('i', next ? 'next' : word ? 'full' : '');
        node.title = `slot ${n}: ${hex(word)}`;
        slots.append(node);
    });
    const text = replay.state === 'idle' ? ' idle' :
        ` ${replay.state}: slot ${replay.slot}, ${replay.left} left`;
    return [slots, text];
}

const FIFOS = {3: thread => thread.fifo, 4: thread => thread['brisc-fifo']};
const threadCards = new Map();

function threadCard(number) {
    if (!threadCards.has(number)) {
        const state = make('span', 'badge');
        const names = ['at the gate', 'waits for', 'latched', 'FIFO',
                       "BRISC's FIFO", 'MOP', 'REPLAY', 'under way'];
        const values = names.map(() => make('dd', 'code'));
        const list = make('dl');
        names.forEach((name, n) => list.append(make('dt', '', name),
                                               values[n]));
        byId('threads').append(make(
            'div', 'thread',
            make('h3', '', `thread ${number} ` +
                 ['(unpack)', '(math)', '(pack)'][number], state,
                 button('step', {action: 'step-thread', thread: number},
                        'runs until the next instruction is at the gate')),
            list));
        threadCards.set(number, {state, values, replay: ''});
    }
    return threadCards.get(number);
}

function showThread(thread) {
    const card = threadCard(thread.thread), gate = thread.gate;
    badge(card.state, thread.state, thread.unresolvable);
    [insnOf(gate.instruction), waitOf(gate.wait), insnOf(gate.latched),
     fifoOf(thread.fifo), fifoOf(thread['brisc-fifo']), mopOf(thread.mop),
    ].forEach((text, n) => {
        set(card.values[n], text);
        card.values[n].style.whiteSpace = 'pre-line';
        card.values[n].title = FIFOS[n] ?
            FIFOS[n](thread).map(insn => insn.text).join('\n') : '';
    });
    set(card.values[7], fifoOf(thread.flight));
    const replay = JSON.stringify(thread.replay);
    if (replay !== card.replay) {
        card.replay = replay;
        card.values[6].replaceChildren(...replayOf(thread.replay));
    }
}

function cell(text, used) {
    return make('span', used ? 'cell used' : 'cell', text);
}

const RWCS = ['thread', 'srca', 'srca-cr', 'srcb', 'srcb-cr', 'dst', 'dst-cr',
              'fidelity', 'sp'];

function showSync(state) {
    byId('semaphores').replaceChildren(...state.semaphores.map(
        s => cell(`sem ${s.index}: ${s.value} of ${s.max}`, s.value)));
    byId('mutexes').replaceChildren(...state.mutexes.map(m => cell(
        `mutex ${m.index}: ` + (m.owner === undefined ? 'free' :
                                `thread ${m.owner}`), m.owner !== undefined)));
    byId('banks').tBodies[0].replaceChildren(...state.banks.map(bank => make(
        'tr', '', make('td', '', bank.src), ...bank.owners.map((owner, n) =>
            make('td', '', `of the ${owner}`, make('span', 'faint', (
                bank['matrix-bank'] === n ? ', matrix unit is here' : '') + (
                bank['unpack-bank'] === n ? ', unpacker is here' : '')))))));
    byId('rwcs').tHead.replaceChildren(make(
        'tr', '', ...RWCS.map(name => make('th', '', name))));
    byId('rwcs').tBodies[0].replaceChildren(...state.rwcs.map(rwc => make(
        'tr', '', ...RWCS.map(name => make('td', '', String(rwc[name]))))));
    byId('units').replaceChildren(...state.units.map(
        unit => cell(`${unit.unit}: ${unit.executed}`, unit.executed)));
}

function showMacro(macro) {
    byId('macro').hidden = !macro.active;
    set(byId('macro'), !macro.active ? '' : 'SFPLOADMACRO has under way: ' +
        macro.scheduled.map(item => `${item.unit} in ${item.delay}: ` +
                            item.text).join('; '));
}

function showViolations(found) {
    set(byId('violation-count'), found.total ? `(${found.total})` : '(none)');
    const rows = found.sites.map(site => make(
        'tr', '', make('td', '', String(site.count)),
        make('td', '', site.category),
        make('td', '', `${site.hart} ${hex(site.pc)} ${placeOf(site.frames)}`),
        make('td', 'code', (site.instruction ? site.instruction.text + ': ' :
                            '') + site.text)));
    if (found.more) {
        rows.push(make('tr', '', make('td', '', `${found.more} sites more`)));
    }
    byId('violations').tBodies[0].replaceChildren(...rows);
}

function showStops(stops) {
    byId('stops').replaceChildren(...stops.map(stop => make(
        'li', '', `${stop.id}: ${stop.what} `,
        button('delete', {action: 'delete', id: stop.id}))));
}

const CAN_RUN = ['running'];

// The waiters, if all wait; a deadlock is over when one does not.
function showDeadlock(state) {
    const all = [...state.harts.map(h => [h.hart, h]),
                 ...state.threads.map(t => ['thread' + t.thread, t])];
    const waiting = all.filter(pair => pair[1].state === 'waiting');
    const stuck = waiting.length &&
        !all.some(pair => CAN_RUN.includes(pair[1].state));
    const unresolvable = all.filter(pair => pair[1].unresolvable);
    const last = state.events[state.events.length - 1];
    const reported = last && last.event === 'TENSIX_DEADLOCK' ? last : null;
    const names = pairs => pairs.map(pair => pair[0]).join(', ');
    const text = !stuck && !unresolvable.length ? '' : (
        reported && stuck ? `Deadlock: ${reported.data.reason}. ` : '') + (
        unresolvable.length ?
            `No possible waker can run: ${names(unresolvable)}. ` :
            `Nothing executes, and these wait: ${names(waiting)}. `) + (
        state.cycle.length ? 'They wait for each other: ' +
            [...state.cycle, state.cycle[0]].join(' → ') + '.' : '');
    byId('deadlock').hidden = !text;
    set(byId('deadlock'), text);
}

// --- all of it ---

let lastState = null, held = false, shown = '';

// A part is made anew only if it has changed, and never between the press and
// the release of a mouse button, which would otherwise be no click.
addEventListener('pointerdown', () => { held = true; });
for (const name of ['pointerup', 'pointercancel', 'blur']) {
    addEventListener(name, () => setTimeout(() => { held = false; }, 0));
}

const changed = (() => {
    const before = new Map();
    return (name, value) => {
        const text = JSON.stringify(value);
        const differs = before.get(name) !== text;
        before.set(name, text);
        return differs;
    };
})();

// Text whose end is the news: it stays in sight if it was.
function showEnd(node, text) {
    const end = node.scrollTop + node.clientHeight >= node.scrollHeight - 4;
    set(node, text);
    if (end) {
        node.scrollTop = node.scrollHeight;
    }
}

function showOutput(answer) {
    byId('output-part').hidden = answer.output === undefined;
    showEnd(byId('output'), answer.output || '');
}

function showState(state) {
    lastState = state;
    badge(byId('status'), state.status);
    const running = state.status === 'running';
    byId('run').disabled = running;
    byId('stop').disabled = !running;
    state.harts.forEach(hart => showHart(hart, !running));
    if (changed('source', state.harts)) {
        showSource(state);
    }
    state.threads.forEach(showThread);
    if (changed('sync', [state.semaphores, state.mutexes, state.banks,
                         state.rwcs, state.units])) {
        showSync(state);
    }
    showMacro(state.macro);
    if (changed('violations', state.violations)) {
        showViolations(state.violations);
    }
    if (changed('stops', state.stops)) {
        showStops(state.stops);
    }
    showEnd(byId('recent'), state.recent.map(
        event => `${event.number} ${event.text}`).join('\n'));
    showDeadlock(state);
    showOutput(state);
}

function showTrouble(trouble) {
    const ended = trouble.answer.ended;
    const text = ended === undefined || ended === null ? trouble.message :
        `The emulator has ended with status ${ended}.`;
    byId('trouble').hidden = false;
    set(byId('trouble'), text);
    document.querySelector('main').classList.add('stale');
    badge(byId('status'), 'no machine');
    if (trouble.answer.output !== undefined) {
        showOutput(trouble.answer);
    }
}

function noTrouble() {
    byId('trouble').hidden = true;
    document.querySelector('main').classList.remove('stale');
}

// --- the buttons ---

let wake = () => {};

async function act(request) {
    set(byId('said'), '…');
    try {
        const answer = JSON.parse(await ask('/api/act', {
            method: 'POST', body: JSON.stringify(request)}));
        set(byId('said'), answer.said);
    } catch (trouble) {
        set(byId('said'), trouble.message);
    }
    picturesDue = 0;
    wake();
}

byId('run').addEventListener('click', () => act({action: 'cont'}));
byId('stop').addEventListener('click', () => act({action: 'stop'}));
byId('stop-form').addEventListener('submit', event => {
    event.preventDefault();
    const action = event.submitter ? event.submitter.value : 'break';
    act({action, what: byId('what').value});
});

// --- again and again ---

const pictures = PICTURES.map(what => new Picture(
    what, byId('pictures'), text => set(byId('probe'), text)));
let picturesDue = 0;

for (const picture of pictures) {
    picture.choice.addEventListener('change', () => {
        picturesDue = 0;
        wake();
    });
}

async function lookAtPictures() {
    for (const picture of pictures) {
        try {
            picture.show(await ask(`/api/registers?${picture.query()}`));
        } catch (trouble) {
            if (trouble.answer.error === undefined) {
                throw trouble;
            }
            picture.text = '';
            set(picture.note, trouble.message);
        }
    }
    picturesDue = Date.now() + PICTURES_PAUSE;
}

async function look() {
    try {
        const text = await ask('/api/state');
        if (!held && text !== shown) {
            showState(JSON.parse(text));
            shown = text;
        }
        if (Date.now() >= picturesDue) {
            await lookAtPictures();
        }
        noTrouble();
    } catch (trouble) {
        shown = '';
        showTrouble(trouble);
    }
}

function pause(time) {
    return new Promise(resolve => {
        wake = resolve;
        setTimeout(resolve, time);
    });
}

async function main() {
    for (;;) {
        if (!document.hidden) {
            await look();
        }
        await pause(lastState && lastState.status === 'running' ?
                    RUNNING_PAUSE : STANDING_PAUSE);
    }
}

main();
