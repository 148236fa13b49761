'use strict';
(() => {
  const $ = id => document.getElementById(id);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];

  // Unchanged lines stand in the page once: their left side is filled in when a stage is opened.
  const fill = table => {
    if (!table || table.dataset.filled) return;
    table.dataset.filled = '1';
    for (const row of table.rows) {
      const [, before, , after] = row.cells;
      if (!after || row.className || before.hasChildNodes() || !row.closest('tbody')) continue;
      before.setAttribute('aria-hidden', 'true');
      before.append(...[...after.childNodes].map(node => node.cloneNode(true)));
    }
  };
  for (const stage of all('details.stage')) {
    const ready = () => { if (stage.open) fill(stage.querySelector('.diff')); };
    stage.addEventListener('toggle', ready);
    ready();
  }

  const unfold = (fold, open) => {
    const button = document.querySelector(`[aria-controls="${fold.id}"]`);
    fold.classList.toggle('open', open);
    button.setAttribute('aria-expanded', String(open));
    button.textContent = `${open ? 'Hide' : 'Show'} ${fold.rows.length} lines`;
  };
  document.addEventListener('click', event => {
    const button = event.target.closest('button[aria-controls]');
    if (button) unfold($(button.getAttribute('aria-controls')), button.getAttribute('aria-expanded') === 'false');
  });

  // Shows an element whatever it is in.
  const reveal = element => {
    const fold = element.closest('.fold:not(.open)');
    if (fold) unfold(fold, true);
    for (let at = element.closest('details'); at; at = at.parentElement.closest('details')) {
      at.open = true;
      fill(at.querySelector('.diff'));
    }
  };
  const jump = () => {
    const target = location.hash.length > 1 && $(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    if (target.matches('details')) target.open = true;
    reveal(target);
    target.scrollIntoView({ block: 'start' });
    const summary = target.querySelector(':scope > summary');
    if (summary) summary.focus({ preventScroll: true });
  };
  addEventListener('hashchange', jump);
  document.addEventListener('click', event => {
    // A second click on the same link.
    const link = event.target.closest('a[href^="#"]');
    if (link && link.getAttribute('href') === location.hash) jump();
  });
  jump();

  const openAll = $('open-all');
  openAll.addEventListener('click', () => {
    const stages = all('details.stage');
    const open = stages.some(stage => !stage.open);
    for (const stage of stages) stage.open = open;
    openAll.textContent = open ? 'Close all stages' : 'Open all stages';
  });

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

  // Search: over the program, every stage as it is after its pass, what went, and PTX.
  const query = $('query'), said = $('hits');
  const most = 5000;
  let hits = [], at = -1, timer = 0, searched = '';
  const cells = all('table.code td.t, table.diff td:nth-child(4), table.diff tr.d td:nth-child(2), table.diff tr.x td:nth-child(2)');
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
  const tell = () => {
    const count = hits.length >= most ? `${most}+` : String(hits.length);
    said.textContent = !searched ? '' : !hits.length ? 'no hits' : at < 0 ? `${count} hit${hits.length > 1 ? 's' : ''}` : `${at + 1} of ${count}`;
  };
  const search = () => {
    clearTimeout(timer);
    if (searched === query.value) return;
    searched = query.value;
    hits = [];
    at = -1;
    const wanted = searched.toLowerCase();
    if (wanted) {
      for (const cell of cells) {
        const text = cell.textContent.toLowerCase();
        for (let from = text.indexOf(wanted); from >= 0 && hits.length < most; from = text.indexOf(wanted, from + wanted.length)) {
          hits.push({ cell, range: range(cell, from, from + wanted.length) });
        }
      }
    }
    all('tr.at').forEach(row => row.classList.remove('at'));
    if (canMark) {
      CSS.highlights.delete('here');
      CSS.highlights.set('hit', new Highlight(...hits.map(hit => hit.range)));
    }
    tell();
  };
  const move = by => {
    search();
    if (!hits.length) return;
    at = at < 0 ? (by > 0 ? 0 : hits.length - 1) : (at + by + hits.length) % hits.length;
    const hit = hits[at];
    reveal(hit.cell);
    if (canMark) {
      const here = new Highlight(hit.range);
      here.priority = 1;
      CSS.highlights.set('here', here);
    } else {
      all('tr.at').forEach(row => row.classList.remove('at'));
      hit.cell.parentElement.classList.add('at');
    }
    hit.cell.scrollIntoView({ block: 'center', behavior: 'instant' });
    tell();
  };
  query.addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(search, 120); });
  query.form.addEventListener('submit', event => event.preventDefault());
  query.addEventListener('keydown', event => {
    if (event.key === 'Enter') { event.preventDefault(); move(event.shiftKey ? -1 : 1); }
    if (event.key === 'Escape') { query.value = ''; search(); query.blur(); }
  });
  $('next').addEventListener('click', () => move(1));
  $('previous').addEventListener('click', () => move(-1));

  // Instructions that come from the same line show together.
  const ptx = document.querySelector('table.ptx');
  if (ptx) {
    const mark = row => all('tr.from', ptx).forEach(each => each.classList.toggle('same-line', !!row && each.dataset.line === row.dataset.line));
    ptx.addEventListener('pointerover', event => mark(event.target.closest('tr.from')));
    ptx.addEventListener('pointerleave', () => mark(null));
  }

  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, textarea, select')) return;
    if (event.key === '/') { event.preventDefault(); query.focus(); query.select(); }
    if (event.key === 'j' || event.key === 'k') {
      const stages = all('details.stage');
      const now = stages.indexOf(document.activeElement.closest('details.stage'));
      const next = event.key === 'j' ? now + 1 : now < 0 ? stages.length - 1 : now - 1;
      const stage = stages[Math.min(Math.max(next, 0), stages.length - 1)];
      if (stage) {
        stage.scrollIntoView({ block: 'start', behavior: 'instant' });
        stage.querySelector('summary').focus({ preventScroll: true });
      }
    }
  });
})();
