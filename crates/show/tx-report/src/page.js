'use strict';
(async () => {
  const $ = id => document.getElementById(id);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const make = (tag, properties = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
      if (name in element) element[name] = value; else element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
  };

  const theme = $('theme');
  const themes = ['system', 'light', 'dark'];
  const store = {
    get: () => { try { return localStorage.getItem('tx-theme'); } catch { return null; } },
    set: value => { try { localStorage.setItem('tx-theme', value); } catch { /* It lasts as long as the page. */ } },
  };
  const use = name => {
    document.documentElement.dataset.theme = name;
    theme.textContent = `Theme: ${name}`;
  };
  use(themes.includes(store.get()) ? store.get() : 'system');
  theme.addEventListener('click', () => {
    const name = themes[(themes.indexOf(document.documentElement.dataset.theme) + 1) % themes.length];
    use(name);
    store.set(name);
  });

  // An element with hidden content on a side fades out on that side, and can be scrolled by keyboard.
  const sides = element => {
    const { scrollLeft, clientWidth, scrollWidth } = element;
    element.classList.toggle('before', scrollLeft > 1);
    element.classList.toggle('after', scrollLeft + clientWidth < scrollWidth - 1);
    element.tabIndex = scrollWidth > clientWidth + 1 ? 0 : -1;
  };
  const resized = new ResizeObserver(entries => entries.forEach(entry => sides(entry.target.closest('.scroll, .parts'))));
  const scrolls = element => {
    element.addEventListener('scroll', () => sides(element), { passive: true });
    resized.observe(element);
    all(':scope > *', element).forEach(child => resized.observe(child));
    return element;
  };
  all('.scroll, .parts').forEach(scrolls);

  const dock = document.querySelector('.dock');
  if (dock) new ResizeObserver(() => document.documentElement.style.setProperty('--dock', `${dock.offsetHeight}px`)).observe(dock);

  const unpack = async () => {
    const bytes = Uint8Array.from(atob($('pack').content.textContent), c => c.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'))).json();
  };
  let pack;
  try {
    pack = await unpack();
  } catch {
    $('needs').hidden = false;
    return;
  }

  // Returns the line numbers of runs of consecutive lines.
  const numbers = runs => {
    const found = [];
    for (let at = 0; at < runs.length; at += 2) for (let i = 0; i < runs[at + 1]; i++) found.push(runs[at] + i);
    return found;
  };
  const tokens = pack.styles.map(style => [...style.matchAll(/(\d+)([a-z])/g)].map(([, length, kind]) => [Number(length), kind]));
  // Returns a line as coloured text, with marked tokens.
  const drawn = new Map();
  const draw = (number, marks = []) => {
    if (!marks.length && drawn.has(number)) return drawn.get(number).cloneNode(true);
    const line = document.createDocumentFragment(), text = pack.lines[number];
    let at = 0, mark = null, plain = '';
    const flush = () => {
      // No line break inside a shape: browsers may break a line after `?`.
      const parts = plain.split(/(\?.?)/su).filter(Boolean);
      (mark ?? line).append(...parts.map(part => part[0] === '?' ? make('i', { className: 'w', textContent: part }) : part));
      plain = '';
    };
    tokens[pack.style[number]].forEach(([length, kind], index) => {
      const isMarked = marks.some(([from, to]) => from <= index && index < to);
      if (isMarked !== (mark !== null)) {
        flush();
        mark = isMarked ? make('mark') : null;
        if (mark) line.append(mark);
      }
      const part = text.slice(at, at += length);
      if (kind === 'p') { plain += part; return; }
      flush();
      (mark ?? line).append(make('i', { className: kind, textContent: part }));
    });
    flush();
    const cut = pack.cut[number];
    if (cut) line.append(make('em', { className: 'cut', textContent: ` … ${cut} more characters` }));
    if (!marks.length) drawn.set(number, line.cloneNode(true));
    return line;
  };

  const table = (className, caption, headings, ...bodies) => make('table', { className },
    make('caption', { className: 'vh', textContent: caption }),
    make('thead', { className: 'vh' }, make('tr', {}, ...headings.map(name => make('th', { scope: 'col', textContent: name })))),
    ...bodies);
  // Browsers lay out a long table when it becomes visible; until then, its height is estimated.
  const scroll = (label, lines, inside) => {
    const made = make('div', { className: 'scroll', role: 'group', 'aria-label': label }, inside);
    if (lines > 200) {
      made.classList.add('long');
      made.style.containIntrinsicHeight = `auto ${lines * 19}px`;
    }
    return scrolls(made);
  };
  // Scrolls to an element, and scrolls again after the layout of other elements has moved it.
  const show = (element, block) => {
    const go = () => element.scrollIntoView({ block, behavior: 'instant' });
    go();
    requestAnimationFrame(() => requestAnimationFrame(go));
  };
  const cell = (className, ...children) => make('td', { className }, ...children);

  // Searchable texts. `lines` returns all lines with their keys, `cell` returns the table cell of a line if
  // the cell exists, and `show` makes and shows the cell.
  const places = [];
  const written = all('#program td.t');
  places.push({
    lines: () => written.map((cell, key) => [key, cell.textContent]),
    cell: key => written[key],
    show: key => written[key],
  });

  // Returns a table of lines. `more` returns additional cells of a row.
  const listing = (numbers, name, caption, headings, more = () => []) => {
    const rows = numbers.map((line, at) => {
      const row = make('tr', {}, cell('n', String(at + 1)), cell('t', draw(line)));
      row.append(...more(row, at));
      return row;
    });
    return [scroll(caption, rows.length, table(`code ${name}`, caption, headings, make('tbody', {}, ...rows))), rows.map(row => row.cells[1])];
  };

  // Minimum number of consecutive added or removed rows that are shown at full width.
  const wide = 6;
  const ranges = text => text.split(',').filter(Boolean).map(range => range.split('-').map(Number));
  const compare = (stage, before, after) => {
    const rows = [];
    let i = 0, j = 0;
    for (const operation of stage.rows.split(' ')) {
      const kind = operation[0], rest = operation.slice(1);
      if (kind === '~') {
        const [gone, come] = rest.split('|').map(ranges);
        rows.push({ kind: 'x', old: i++, come, new: j++, gone });
        continue;
      }
      for (let n = 0; n < Number(rest); n++) {
        if (kind === '-') rows.push({ kind: 'd', old: i++, wide: rest >= wide });
        else if (kind === '+') rows.push({ kind: 'i', new: j++, wide: rest >= wide });
        else rows.push({ kind: before[i] === after[j] ? '' : 'r', old: i++, new: j++ });
      }
    }
    return rows;
  };

  const boxes = all('details.stage');
  // Functions that make the content of a box when it is opened.
  const makers = new Map();
  const opened = box => { makers.get(box)?.(); makers.delete(box); };
  let lines = [];
  for (const [at, stage] of pack.stages.entries()) {
    if (!stage) continue;
    const box = boxes[at], name = box.querySelector('h3').textContent;
    const before = lines, after = lines = numbers(stage.lines);
    if (at === 0) {
      let cells = [];
      makers.set(box, () => {
        const [made, found] = listing(after, '', `The module after ${name}`, ['Line', 'Text']);
        cells = found;
        box.append(made);
      });
      places.push({
        lines: () => after.map((line, key) => [key, line]),
        cell: key => cells[key],
        show: key => { box.open = true; opened(box); return cells[key]; },
      });
      continue;
    }
    let known;
    const rows = () => known ??= compare(stage, before, after);
    // Each side of a row has its own key.
    const cells = new Map(), folds = [];
    const row = (each, number) => {
      const left = () => cell('t old', draw(before[each.old], each.gone));
      const right = () => cell('t new', draw(after[each.new], each.come));
      const one = each.kind === 'd' ? left() : null, other = each.kind === 'i' ? right() : null;
      const made = make('tr', { className: each.kind });
      if (each.wide) {
        const only = one ?? other;
        only.colSpan = 3;
        made.classList.add('wide');
        made.append(cell('n', String((one ? each.old : each.new) + 1)), only);
        cells.set(number * 2 + (one ? 0 : 1), only);
        return made;
      }
      const [a, b] = [other ? cell('old none') : one ?? left(), one ? cell('new none') : other ?? right()];
      // Screen readers read an unchanged line once.
      if (!each.kind) a.setAttribute('aria-hidden', 'true');
      made.append(cell('n old', other ? '' : String(each.old + 1)), a, cell('n new', one ? '' : String(each.new + 1)), b);
      cells.set(number * 2, a).set(number * 2 + 1, b);
      return made;
    };
    makers.set(box, () => {
      const bodies = [];
      let from = 0;
      for (const count of stage.folds) {
        const to = from + Math.abs(count), part = rows().slice(from, to), first = from;
        const body = make('tbody');
        const fill = () => { if (!body.rows.length) body.append(...part.map((each, i) => row(each, first + i))); };
        if (count < 0) {
          body.id = `fold-${at}-${bodies.length}`;
          body.hidden = true;
          const button = make('button', {
            type: 'button', textContent: `Show ${part.length} lines`, 'aria-controls': body.id, 'aria-expanded': 'false',
          });
          const unfold = open => {
            fill();
            body.hidden = !open;
            button.setAttribute('aria-expanded', String(open));
            button.textContent = `${open ? 'Hide' : 'Show'} ${part.length} lines`;
            paint();
          };
          button.addEventListener('click', () => unfold(body.hidden));
          folds.push({ from, to, unfold: () => { if (body.hidden) unfold(true); } });
          bodies.push(make('tbody', { className: 'more' }, make('tr', {}, make('td', { colSpan: 4 }, button))));
        } else {
          fill();
        }
        bodies.push(body);
        from = to;
      }
      const made = table('diff', `The module before and after ${name}`, ['Line before', 'Before', 'Line after', 'After'], ...bodies);
      made.prepend(make('colgroup', {}, ...['n', '', 'n', ''].map(className => make('col', { className }))));
      made.prepend(made.caption);
      box.append(scroll(`Changes of ${name}`, made.rows.length, made));
      paint();
    });
    places.push({
      lines: () => rows().flatMap((each, number) => [
        ...(each.kind === 'd' || each.kind === 'x' ? [[number * 2, before[each.old]]] : []),
        ...(each.kind === 'd' ? [] : [[number * 2 + 1, after[each.new]]]),
      ]),
      cell: key => cells.get(key),
      show: key => {
        box.open = true;
        opened(box);
        folds.find(fold => fold.from <= key >> 1 && key >> 1 < fold.to)?.unfold();
        return cells.get(key);
      },
    });
  }
  for (const box of all('details[data-part]')) {
    makers.set(box, () => {
      box.insertAdjacentHTML('beforeend', pack.parts[box.dataset.part]);
      all('.scroll', box).forEach(scrolls);
    });
  }
  for (const box of makers.keys()) box.addEventListener('toggle', () => { if (box.open) opened(box); });

  if (pack.ptx) {
    const { from, told } = pack.ptx, text = numbers(pack.ptx.lines);
    const [made, cells] = listing(text, 'ptx', 'PTX', ['Line', 'Text', 'From'], (row, at) => {
      const line = Math.abs(from[at]);
      row.id = `ptx-${at + 1}`;
      if (line) {
        row.className = 'from';
        row.dataset.line = line;
        row.style.setProperty('--h', line * 137 % 360);
      }
      if (from[at] <= 0) return [cell('')];
      return [cell('', make('a', { href: `#line-${line}`, textContent: line }), ' ', make('span', { className: 'told', textContent: told[line] }))];
    });
    $('ptx-lines').replaceWith(made);
    const box = $('ptx-text');
    places.push({
      lines: () => text.map((line, key) => [key, line]),
      cell: key => cells[key],
      show: key => { box.open = true; return cells[key]; },
    });
    // Highlight all instructions of the source line under the pointer.
    const body = made.querySelector('tbody');
    const mark = row => { for (const each of body.rows) each.classList.toggle('same-line', !!row && each.dataset.line === row.dataset.line); };
    body.addEventListener('pointerover', event => mark(event.target.closest('tr.from')));
    body.addEventListener('pointerleave', () => mark(null));
  }

  // Searches the program, the module after every pass, removed lines, and the PTX.
  const query = $('query'), said = $('hits');
  const most = 5000;
  let hits = [], at = -1, timer = 0, searched = '';
  const canMark = 'highlights' in CSS;
  const range = (cell, from, to) => {
    const found = document.createRange();
    const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    let seen = 0, started = false;
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const end = seen + node.length;
      if (!started && from < end) { found.setStart(node, from - seen); started = true; }
      if (started && to <= end) { found.setEnd(node, to - seen); break; }
      seen = end;
    }
    return found;
  };
  const spot = hit => {
    const cell = hit.place.cell(hit.key);
    return hit.range ??= cell && range(cell, hit.from, hit.from + searched.length);
  };
  // Marks the hits in cells that exist.
  function paint() {
    if (canMark && searched) CSS.highlights.set('hit', new Highlight(...hits.map(spot).filter(Boolean)));
  }
  const tell = () => {
    const count = hits.length >= most ? `${most}+` : String(hits.length);
    said.textContent = !searched ? '' : !hits.length ? 'no hits' : at < 0 ? `${count} hit${hits.length > 1 ? 's' : ''}` : `${at + 1} of ${count}`;
  };
  // Returns the positions of `wanted` in a text.
  const find = (text, wanted) => {
    const found = [], whole = text.toLowerCase();
    for (let from = whole.indexOf(wanted); from >= 0; from = whole.indexOf(wanted, from + wanted.length)) found.push(from);
    return found;
  };
  const search = () => {
    clearTimeout(timer);
    if (searched === query.value) return;
    searched = query.value;
    hits = [];
    at = -1;
    const wanted = searched.toLowerCase();
    if (wanted) {
      // Most lines occur in several stages, so search each distinct line once.
      const known = new Map();
      const inLine = line => known.get(line) ?? known.set(line, find(pack.lines[line], wanted)).get(line);
      for (const place of places) {
        for (const [key, line] of place.lines()) {
          for (const from of typeof line === 'number' ? inLine(line) : find(line, wanted)) {
            if (hits.length < most) hits.push({ place, key, from });
          }
        }
        if (hits.length >= most) break;
      }
    }
    all('tr.at').forEach(row => row.classList.remove('at'));
    if (canMark) {
      CSS.highlights.clear();
      paint();
    }
    tell();
  };
  const move = by => {
    search();
    if (!hits.length) return;
    at = at < 0 ? (by > 0 ? 0 : hits.length - 1) : (at + by + hits.length) % hits.length;
    const hit = hits[at];
    const cell = hit.place.show(hit.key);
    paint();
    if (canMark) {
      const here = new Highlight(spot(hit));
      here.priority = 1;
      CSS.highlights.set('here', here);
    } else {
      all('tr.at').forEach(row => row.classList.remove('at'));
      cell.parentElement.classList.add('at');
    }
    show(cell, 'center');
    tell();
  };
  if (query) {
    // Typing shows the first hit after a delay; Enter shows the next hit, or the first hit without a delay.
    query.addEventListener('input', () => {
      clearTimeout(timer);
      timer = setTimeout(() => { search(); if (at < 0) move(1); }, 200);
    });
    query.form.addEventListener('submit', event => event.preventDefault());
    query.addEventListener('keydown', event => {
      if (event.key === 'Enter') { event.preventDefault(); move(event.shiftKey ? -1 : 1); }
      if (event.key === 'Escape') { query.value = ''; search(); query.blur(); }
    });
    $('next').addEventListener('click', () => move(1));
    $('previous').addEventListener('click', () => move(-1));
  }

  for (const box of [...makers.keys()]) if (box.open) opened(box);

  const jump = () => {
    const target = location.hash.length > 1 && $(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let at = target.closest('details'); at; at = at.parentElement.closest('details')) {
      at.open = true;
      opened(at);
    }
    show(target, 'start');
    const summary = target.querySelector(':scope > summary');
    if (summary) summary.focus({ preventScroll: true });
  };
  addEventListener('hashchange', jump);
  document.addEventListener('click', event => {
    // A second click on the same link does not change the hash, so no `hashchange` event occurs.
    const link = event.target.closest('a[href^="#"]');
    if (link && link.getAttribute('href') === location.hash) jump();
  });
  jump();

  const openAll = $('open-all');
  openAll?.addEventListener('click', () => {
    const open = boxes.some(box => !box.open);
    for (const box of boxes) {
      box.open = open;
      if (open) opened(box);
    }
    openAll.textContent = open ? 'Close all stages' : 'Open all stages';
  });

  // Last stage shown by `j` or `k`, until the reader scrolls: layout may have moved it out of the window.
  let kept = null;
  for (const type of ['wheel', 'touchmove', 'pointerdown', 'keydown']) {
    addEventListener(type, event => { if (!event.key || /^(Arrow|Page|Home|End)/.test(event.key)) kept = null; }, { passive: true });
  }
  // Shows the next or previous stage, relative to the focused stage if it is visible, or else to the scroll
  // position.
  const step = by => {
    const top = dock?.offsetHeight ?? 0, middle = (top + innerHeight) / 2;
    const place = box => box.getBoundingClientRect();
    let at = boxes.indexOf(document.activeElement.closest('details.stage'));
    const isSeen = at >= 0 && (boxes[at] === kept || (place(boxes[at]).bottom > top && place(boxes[at]).top < innerHeight));
    if (!isSeen) {
      at = boxes.findLastIndex(box => place(box).top < middle);
      // `k` first shows the start of the current stage.
      if (by < 0 && at >= 0 && place(boxes[at]).top < top) at += 1;
    }
    const box = boxes[at + by];
    if (!box) return;
    kept = box;
    show(box, 'start');
    box.querySelector('summary').focus({ preventScroll: true });
  };
  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, textarea, select')) return;
    if (event.key === '/' && query) { event.preventDefault(); query.focus({ preventScroll: true }); query.select(); }
    if (event.key === 'j' || event.key === 'k') step(event.key === 'j' ? 1 : -1);
  });
  document.documentElement.dataset.ready = '';
})();
