// Tests pages of `tx report` in Chromium with the actions of a user.
//
//   node check.mjs DRIVER CHROMIUM PAGES GOLDENS FOUND [--bless]
//
// DRIVER is the folder with Playwright, PAGES the folder with the pages of `browser.rs`, and
// GOLDENS the folder with expected screenshots. Differing screenshots are written to FOUND. After a
// failed test, the exit status is 1.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [driver, chromiumPath, pages, goldens, found, bless] = process.argv.slice(2);
const { chromium } = createRequire(join(driver, 'package.json'))('playwright-core');
const profile = mkdtempSync(join(tmpdir(), 'tx-browser-'));
const browser = await chromium.launchPersistentContext(profile, {
  executablePath: chromiumPath,
  headless: true,
  viewport: { width: 1280, height: 900 },
  offline: true,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync', '--font-render-hinting=none', '--force-color-profile=srgb'],
});
let failed = 0;

// Opens a page, and records its console messages and network requests.
const open = async (name, { theme = 'light', width = 1280, hash = '' } = {}) => {
  const page = await browser.newPage();
  const complaints = [], asked = [];
  page.on('console', message => complaints.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', error => complaints.push(String(error)));
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme: theme });
  const url = pathToFileURL(join(pages, name)).href;
  page.on('request', request => { if (request.url().split('#')[0] !== url) asked.push(request.url()); });
  await page.goto(url + hash);
  await page.waitForSelector('html[data-ready]', { state: 'attached' });
  return { page, complaints, asked };
};

const test = async (name, body) => {
  const start = performance.now();
  try {
    await body();
    console.log(`ok   ${name} (${Math.round(performance.now() - start)} ms)`);
  } catch (error) {
    failed += 1;
    console.log(`FAIL ${name}\n${error.stack}`);
  }
  for (const page of browser.pages().slice(1)) await page.close();
};

// Returns the fraction of pixels that differ between two screenshots. Small differences of colour
// do not count, because browser versions render text slightly differently.
const differing = async (one, other) => {
  const page = await browser.newPage();
  try {
    return await page.evaluate(async images => {
      const [a, b] = await Promise.all(images.map(async data => {
        const image = new Image();
        image.src = `data:image/png;base64,${data}`;
        await image.decode();
        const canvas = new OffscreenCanvas(image.width, image.height);
        const context = canvas.getContext('2d');
        context.drawImage(image, 0, 0);
        return { width: image.width, height: image.height, data: context.getImageData(0, 0, image.width, image.height).data };
      }));
      if (Math.abs(a.width - b.width) > 4 || Math.abs(a.height - b.height) > 12) return 1;
      const [width, height] = [Math.min(a.width, b.width), Math.min(a.height, b.height)];
      let count = 0;
      for (let y = 0; y < height; y++) {
        for (let x = 0; x < width; x++) {
          const i = (y * a.width + x) * 4, j = (y * b.width + x) * 4;
          if ([0, 1, 2].some(c => Math.abs(a.data[i + c] - b.data[j + c]) > 64)) count += 1;
        }
      }
      return count / (width * height);
    }, [one.toString('base64'), other.toString('base64')]);
  } finally {
    await page.close();
  }
};

const looks = async (page, selector, name) => {
  await page.addStyleTag({ content: ':root { --sans: "DejaVu Sans"; --mono: "DejaVu Sans Mono"; } .dock { position: static !important; }' });
  const element = page.locator(selector).first();
  // The height of the content above the element may not be a whole number of pixels, so the test
  // aligns the element to a whole pixel.
  await element.evaluate(e => {
    const top = e.getBoundingClientRect().top + scrollY;
    document.body.style.paddingTop = `${Math.ceil(top) - top}px`;
  });
  const shot = await element.screenshot({ animations: 'disabled' });
  const golden = join(goldens, `${name}.png`);
  if (bless) return writeFileSync(golden, shot);
  assert(existsSync(golden), `there is no ${golden}`);
  const share = await differing(readFileSync(golden), shot);
  if (share > 0.03) {
    mkdirSync(found, { recursive: true });
    writeFileSync(join(found, `${name}.png`), shot);
    assert.fail(`${name}: ${(share * 100).toFixed(1)} % of its pixels differ, expected at most 3 %: see ${join(found, `${name}.png`)}`);
  }
};

const hits = page => page.locator('#hits').textContent();
// Waits until the scroll position of a page is constant for several frames, and returns the scroll
// position.
const restsAt = page => page.evaluate(() => new Promise(done => {
  let at = scrollY, frames = 0;
  const frame = () => {
    frames = scrollY === at ? frames + 1 : 0;
    at = scrollY;
    if (frames > 6) done(at); else requestAnimationFrame(frame);
  };
  frame();
}));
// Enters a search text, and waits until the first hit is highlighted, or until there is no hit.
const seek = async (page, text) => {
  await page.locator('#query').fill(text);
  await page.waitForFunction(text => {
    const said = document.querySelector('#hits').textContent, here = CSS.highlights.get('here');
    return said === 'no hits' || (said.startsWith('1 of ') && [...here][0].toString().toLowerCase() === text.toLowerCase());
  }, text);
};
const focused = (page, property = 'id') => page.evaluate(name => document.activeElement[name], property);

await test('the page opens, complains of nothing and asks for nothing', async () => {
  const { page, complaints, asked } = await open('rows.html');
  assert.equal(await page.locator('h1').textContent(), 'rows.mlir');
  for (const id of ['check', 'choices', 'kernels', 'program', 'stages', 'ptx']) {
    assert.equal(await page.locator(`#${id}`).count(), 1, id);
  }
  assert.match(await page.locator('#check .headline').textContent(), /Valid/);
  assert.equal(await page.locator('#times').count(), 0, 'times were left out');
  assert.equal(await page.locator('#needs').isVisible(), false);
  await page.locator('#open-all').click();
  // The button cycles through all themes, and the page stores the theme.
  for (let at = 0; at < 3; at++) await page.locator('#theme').click();
  assert.deepEqual(complaints, []);
  assert.deepEqual(asked, []);
});

await test('headings, names and references are in order', async () => {
  for (const name of ['rows.html', 'many.html', 'refused.html', 'unread.html', 'hostile.html']) {
    const { page } = await open(name);
    const wrong = await page.evaluate(() => {
      const wrong = [];
      let before = 0;
      for (const heading of document.querySelectorAll('h1, h2, h3, h4')) {
        const level = Number(heading.tagName[1]);
        if (level > before + 1) wrong.push(`h${level} after h${before}: ${heading.textContent}`);
        before = level;
      }
      const ids = [...document.querySelectorAll('[id]')].map(each => each.id);
      for (const id of ids.filter((id, at) => ids.indexOf(id) !== at)) wrong.push(`twice: ${id}`);
      for (const each of document.querySelectorAll('[aria-labelledby], [aria-controls]')) {
        const named = `${each.getAttribute('aria-labelledby') ?? ''} ${each.getAttribute('aria-controls') ?? ''}`;
        for (const id of named.split(' ').filter(Boolean)) if (!document.getElementById(id)) wrong.push(`nothing is ${id}`);
      }
      for (const link of document.querySelectorAll('a[href]')) {
        const to = link.getAttribute('href');
        if (!to.startsWith('#') || !document.getElementById(to.slice(1))) wrong.push(`leads nowhere: ${to}`);
      }
      for (const each of document.querySelectorAll('button, a')) {
        if (!(each.getAttribute('aria-label') ?? each.textContent).trim()) wrong.push(`no name: ${each.outerHTML}`);
      }
      for (const svg of document.querySelectorAll('svg')) {
        if (!svg.querySelector('title')?.textContent || !svg.querySelector('desc')?.textContent) wrong.push('a picture without words');
      }
      for (const table of document.querySelectorAll('table')) {
        if (!table.querySelector('th[scope]')) wrong.push(`a table without headings: ${table.className}`);
      }
      return wrong;
    });
    assert.deepEqual(wrong, [], name);
  }
});

await test('folded lines open and close, and both sides show', async () => {
  const { page } = await open('rows.html');
  await page.locator('#open-all').click();
  const button = page.locator('.more button').first();
  const fold = page.locator(`#${await button.getAttribute('aria-controls')}`);
  assert.equal(await fold.isVisible(), false);
  assert.equal(await fold.locator('tr').count(), 0, 'what nobody looks at is not made');
  const said = await button.textContent();
  await button.click();
  assert.equal(await fold.isVisible(), true);
  assert.equal(said, `Show ${await fold.locator('tr').count()} lines`);
  assert.equal(await button.getAttribute('aria-expanded'), 'true');
  const [left, right] = await fold.locator('tr').first().locator('td:nth-child(even)').allTextContents();
  assert.equal(left.trim(), right.trim());
  assert.notEqual(right.trim(), '');
  await button.focus();
  await page.keyboard.press('Enter');
  assert.equal(await fold.isVisible(), false);
});

await test('what is folded is made when it is opened', async () => {
  const { page } = await open('many.html');
  const kernel = page.locator('#kernels details[data-part]').first();
  assert.equal(await kernel.locator('svg').count(), 0);
  await kernel.locator('summary').first().click();
  await kernel.locator('svg').waitFor();
  const stage = page.locator('#stage-4');
  assert.equal(await stage.locator('table').count(), 0);
  await stage.locator('summary').click();
  await stage.locator('table').waitFor();
  // If the user closes and reopens a part of the page, the page does not create the content of this
  // part again.
  for (let at = 0; at < 2; at++) await stage.locator('summary').click();
  assert.equal(await stage.locator('table').count(), 1);
});

await test('each stage is, line by line, what it was compared with in the next', async () => {
  for (const name of ['rows.html', 'many.html']) {
    const { page } = await open(name);
    await page.locator('#open-all').click();
    const wrong = await page.evaluate(() => {
      for (const button of document.querySelectorAll('.more button')) button.click();
      const text = cells => cells.map(cell => cell.textContent).join('\n');
      const wrong = [];
      let before = null;
      for (const stage of document.querySelectorAll('details.stage')) {
        const name = stage.querySelector('h3').textContent;
        const first = stage.querySelector('table.code');
        if (first) before = text([...first.querySelectorAll('td.t')]);
        const table = stage.querySelector('table.diff');
        if (!table) continue;
        const sides = ['old', 'new'].map(side => text([...table.querySelectorAll(`td.t.${side}`)]));
        if (sides[0] !== before) wrong.push(`${name}: the left side is not the stage before`);
        const numbers = [...table.querySelectorAll('tr')].map(row => row.querySelector('td.n.new, .i.wide td.n, tr.i.wide > td.n'))
          .filter(cell => cell?.textContent && !cell.closest('.d')).map(cell => Number(cell.textContent));
        if (numbers.some((number, at) => number !== at + 1)) wrong.push(`${name}: lines on the right are not 1, 2, 3 …`);
        before = sides[1];
      }
      return wrong;
    });
    assert.deepEqual(wrong, [], name);
  }
});

await test('stages call values as the program does', async () => {
  const { page } = await open('rows.html');
  await page.locator('#open-all').click();
  const stages = await page.evaluate(() => {
    for (const button of document.querySelectorAll('.more button')) button.click();
    const stages = [...document.querySelectorAll('details.stage')];
    return Object.fromEntries(stages.map(stage => [stage.querySelector('h3').textContent, stage.querySelector('.scroll')?.textContent]));
  });
  assert.match(stages.parse, /gpu\.func @rows\(%A: memref<4x8xf32>, %B: memref<4xf32>\) workgroup\(%As : /);
  assert.match(stages['convert-tile-to-gpu'], /memref\.load %As\[/);
  assert(!/%arg\d/.test(stages.parse + stages['convert-tile-to-gpu']));
  // The pictures contain the same value names as the text.
  assert.match(await page.locator('svg.tree').first().textContent(), /Load from global %A: .*Store to shared %As: /s);
});

await test('a search finds, moves in both directions and opens what it finds', async () => {
  const { page } = await open('rows.html');
  await page.evaluate(() => document.querySelectorAll('details.stage').forEach(stage => { stage.open = false; }));
  await page.keyboard.press('/');
  assert.equal(await focused(page), 'query');
  // The first hit is visible without another key, also inside a folded part, and the text field
  // keeps the focus.
  await seek(page, 'GPU.shuffle');
  assert.equal(await focused(page), 'query');
  await restsAt(page);
  assert.equal(await page.evaluate(() => {
    const { top, bottom, height } = [...CSS.highlights.get('here')][0].getBoundingClientRect();
    return height > 0 && top >= 0 && bottom <= innerHeight;
  }), true);
  const first = await hits(page);
  const total = Number(/^1 of (\d+)$/.exec(first)?.[1]);
  assert(total > 6, first);
  await page.keyboard.press('Enter');
  assert.equal(await hits(page), `2 of ${total}`);
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.press('Shift+Enter');
  assert.equal(await hits(page), `${total} of ${total}`);
  await page.locator('#next').click();
  await page.locator('#next').click();
  assert.equal(await hits(page), `2 of ${total}`);
  for (let at = 0; at < total; at++) {
    await page.keyboard.press('Tab');
    await page.locator('#next').click();
    const seen = await page.evaluate(() => {
      const [range] = CSS.highlights.get('here');
      const { top, bottom, height } = range.getBoundingClientRect();
      return { text: range.toString().toLowerCase(), inside: height > 0 && top >= 0 && bottom <= innerHeight };
    });
    assert.deepEqual(seen, { text: 'gpu.shuffle', inside: true });
  }
  assert.equal(await page.evaluate(() => CSS.highlights.get('hit').size), total);
  await seek(page, 'nothing like it');
  assert.equal(await hits(page), 'no hits');
  await page.locator('#query').press('Escape');
  assert.equal(await hits(page), '');
  // The search also finds text that only the program or only the PTX contains.
  for (const text of ['// Sums', 'shfl.sync.bfly']) {
    await seek(page, text);
    assert.match(await hits(page), /^1 of/, text);
  }
  // A key pressed before the first hit is visible selects the first hit, not the next one.
  await page.evaluate(() => {
    const query = document.querySelector('#query');
    query.value = 'gpu.shuffle';
    query.dispatchEvent(new InputEvent('input'));
    query.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', cancelable: true }));
  });
  assert.equal(await hits(page), first);
});

await test('a search finds what nobody has looked at in long stages', async () => {
  const { page } = await open('many.html');
  await seek(page, 'nvvm.shfl.sync');
  const total = Number(/^1 of (\d+)$/.exec(await hits(page))?.[1]);
  assert(total > 100, await hits(page));
  for (let at = 0; at < 12; at++) {
    await page.locator('#query').press(at % 2 ? 'Shift+Enter' : 'Enter');
    if (at % 2) await page.locator('#query').press('Shift+Enter');
    // Waits until scrolling has ended.
    await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)))));
    const seen = await page.evaluate(() => {
      const [range] = CSS.highlights.get('here');
      const { top, bottom, height } = range.getBoundingClientRect();
      return { text: range.toString(), inside: height > 0 && top >= 0 && bottom <= innerHeight };
    });
    assert.deepEqual(seen, { text: 'nvvm.shfl.sync', inside: true }, await hits(page));
  }
});

await test('a search leaves the reader in place until it has found something', async () => {
  for (const width of [420, 1280]) {
    const { page } = await open('rows.html', { width });
    await page.evaluate(() => document.querySelector('#ptx').scrollIntoView({ behavior: 'instant' }));
    const there = await restsAt(page);
    assert(there > 1000, String(there));
    await page.keyboard.press('/');
    assert.equal(await focused(page), 'query');
    assert.equal(await restsAt(page), there, '/');
    await seek(page, 'nowhere');
    await page.keyboard.press('Enter');
    assert.equal(await hits(page), 'no hits');
    assert.equal(await restsAt(page), there, 'typing');
    await page.keyboard.press('Escape');
    assert.notEqual(await focused(page), 'query');
    assert.equal(await restsAt(page), there, 'Esc');
    await page.locator('#query').click();
    assert.equal(await restsAt(page), there, 'a click');
    await page.keyboard.press('Escape');
    assert.equal(await restsAt(page), there, 'Esc after a click');
  }
});

await test('stages are counted from the one in view', async () => {
  const { page } = await open('rows.html');
  const stage = () => page.evaluate(() => document.activeElement.closest('details.stage')?.id);
  const found = async () => {
    await page.keyboard.press('/');
    await page.keyboard.type('gpu.shuffle');
    for (let at = 0; at < 40; at++) {
      await page.keyboard.press('Enter');
      const id = await page.evaluate(() => [...CSS.highlights.get('here')][0].startContainer.parentElement.closest('details.stage')?.id);
      if (id) return Number(id.split('-')[1]);
    }
    return assert.fail('no hit in a stage');
  };
  const at = await found();
  assert(at > 1, String(at));
  await restsAt(page);
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  assert.equal(await stage(), `stage-${at + 1}`);
  await restsAt(page);
  const [bar, box] = [await page.locator('.dock').boundingBox(), await page.locator(`#stage-${at + 1}`).boundingBox()];
  assert(box.y >= bar.height && box.y < bar.height + 60, `${JSON.stringify(box)} is below the bar`);
  await page.keyboard.press('k');
  assert.equal(await stage(), `stage-${at}`);
  await restsAt(page);
  // After the last stage, `k` selects the last stage, and `j` has no effect.
  await page.evaluate(() => { document.activeElement.blur(); document.querySelector('#ptx-text').open = true; });
  await page.evaluate(() => { document.querySelector('#ptx').scrollIntoView({ behavior: 'instant' }); });
  await restsAt(page);
  await page.keyboard.press('j');
  assert.equal(await stage(), undefined);
  await page.keyboard.press('k');
  assert.equal(await stage(), await page.evaluate(() => [...document.querySelectorAll('details.stage')].at(-1).id));
});

await test('everything works from the keyboard', async () => {
  const { page } = await open('rows.html');
  await page.keyboard.press('Tab');
  assert.equal(await focused(page, 'className'), 'skip');
  assert((await page.locator('.skip').boundingBox()).y >= 0, 'the link shows when it has the focus');
  await page.keyboard.press('Enter');
  assert.equal(await focused(page), 'main');
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  const stage = page.locator('details.stage').nth(1);
  assert.equal(await stage.locator('summary').evaluate(each => each === document.activeElement), true);
  const before = await stage.evaluate(each => each.open);
  await page.keyboard.press('Enter');
  assert.equal(await stage.evaluate(each => each.open), !before);
  await page.keyboard.press('k');
  assert.equal(await page.locator('details.stage').first().locator('summary').evaluate(each => each === document.activeElement), true);
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  assert.notEqual(outline, 'none');
  // A link in the strip of stages focuses the stage and opens it.
  const link = page.locator('.strip a').nth(5);
  await link.focus();
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement.closest('details.stage')?.open);
  assert.equal(await page.evaluate(() => document.activeElement.closest('details').id), 'stage-5');
  // In the search field, the keys enter text.
  await page.locator('#query').focus();
  await page.keyboard.type('jk/');
  assert.equal(await page.locator('#query').inputValue(), 'jk/');
});

await test('instructions lead to their lines and back', async () => {
  const { page } = await open('rows.html');
  const shuffle = page.locator('table.ptx tr', { hasText: 'shfl.sync' }).first();
  assert.equal(await shuffle.isVisible(), false, 'PTX is long');
  const line = await shuffle.getAttribute('data-line');
  assert.match(await page.locator(`#line-${line} td.t`).textContent(), /tile\.reduce/);
  await page.locator(`#line-${line} a`).click();
  const target = page.locator(':target');
  await target.waitFor();
  assert.equal(await target.getAttribute('data-line'), line);
  await target.locator('a').click();
  assert.equal(await page.evaluate(() => location.hash), `#line-${line}`);
});

await test('PTX is folded, and a search opens it', async () => {
  const { page } = await open('rows.html');
  const box = page.locator('#ptx-text');
  assert.equal(await box.evaluate(each => each.open), false);
  assert.match(await box.locator('summary').textContent(), /^\d+ lines 1 kernel$/);
  await seek(page, 'shfl.sync.bfly');
  assert.equal(await box.evaluate(each => each.open), true);
  await box.locator('summary').focus();
  await page.keyboard.press('Enter');
  assert.equal(await box.evaluate(each => each.open), false);
});

await test('no line ends within a type', async () => {
  for (const width of [1280, 800, 420]) {
    const { page } = await open('many.html', { width });
    await page.locator('#stage-0 summary').waitFor();
    const broken = await page.evaluate(() => {
      const words = [];
      for (const cell of document.querySelectorAll('#program td.t, #stage-0 td.t')) {
        const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
        const nodes = [];
        for (let node = walker.nextNode(); node; node = walker.nextNode()) nodes.push(node);
        const spot = at => {
          for (const node of nodes) { if (at < node.length) return [node, at]; at -= node.length; }
          return null;
        };
        for (const { 0: word, index } of cell.textContent.matchAll(/memref<[^ ]*>/g)) {
          const range = document.createRange();
          range.setStart(...spot(index));
          range.setEnd(...spot(index + word.length - 1));
          if (new Set([...range.getClientRects()].map(box => Math.round(box.top / 8))).size > 1) words.push(word);
        }
      }
      return words;
    });
    assert.deepEqual(broken, [], String(width));
  }
});

await test('light and dark follow the system, and the button', async () => {
  const { page } = await open('rows.html', { theme: 'dark' });
  const lightness = () => page.evaluate(() => {
    const context = new OffscreenCanvas(1, 1).getContext('2d');
    context.fillStyle = getComputedStyle(document.body).backgroundColor;
    context.fillRect(0, 0, 1, 1);
    return context.getImageData(0, 0, 1, 1).data[1];
  });
  assert(await lightness() < 60);
  await page.emulateMedia({ colorScheme: 'light' });
  assert(await lightness() > 200);
  const theme = page.locator('#theme');
  while (await theme.textContent() !== 'Theme: dark') await theme.click();
  assert(await lightness() < 60);
  await page.reload();
  assert.equal(await theme.textContent(), 'Theme: dark', 'it is remembered');
  await theme.click();
  assert.equal(await theme.textContent(), 'Theme: system');
  assert(await lightness() > 200);
});

await test('text can be read on what it stands on', async () => {
  for (const theme of ['light', 'dark']) {
    const { page } = await open('rows.html', { theme });
    await page.locator('#open-all').click();
    const weak = await page.evaluate(() => {
      const context = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
      const rgb = (color, under) => {
        context.fillStyle = under;
        context.fillRect(0, 0, 1, 1);
        context.fillStyle = color;
        context.fillRect(0, 0, 1, 1);
        return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
      };
      const luminance = color => color.map(c => c / 255).map(c => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
        .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
      const under = element => {
        for (let at = element; at; at = at.parentElement) {
          const color = getComputedStyle(at).backgroundColor;
          if (!/rgba\(.*, 0\)|transparent/.test(color)) return color;
        }
        return 'white';
      };
      const weak = new Set();
      for (const selector of ['.badge', '.meta', '.note', '.lead', '.plus', '.minus', 'i', 'a', 'button', 'td', 'th', 'summary', '.layout td']) {
        for (const element of [...document.querySelectorAll(selector)].filter(each => each.offsetParent).slice(0, 400)) {
          if (!element.textContent.trim()) continue;
          const back = rgb(under(element), 'white');
          const front = rgb(getComputedStyle(element).color, `rgb(${back})`);
          const [high, low] = [luminance(front), luminance(back)].sort((a, b) => b - a);
          const contrast = (high + 0.05) / (low + 0.05);
          if (contrast < 4.5) weak.add(`${selector}.${element.className}: ${contrast.toFixed(2)}`);
        }
      }
      return [...weak];
    });
    assert.deepEqual(weak, [], theme);
  }
});

await test('a narrow window needs no sideways scrolling of the page', async () => {
  for (const name of ['rows.html', 'many.html', 'refused.html', 'unread.html', 'hostile.html']) {
    const { page } = await open(name, { width: 360 });
    await page.evaluate(() => document.querySelectorAll('details').forEach(each => { each.open = true; }));
    const [needed, given] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert(needed <= given, `${name}: ${needed} of ${given}`);
  }
});

await test('on paper there is nothing to press', async () => {
  const { page } = await open('rows.html');
  await page.emulateMedia({ media: 'print' });
  for (const selector of ['.dock', '#open-all', '#theme', '.more']) {
    assert.equal(await page.locator(selector).first().isVisible(), false, selector);
  }
  assert.equal(await page.locator('#stage-5 table').isVisible(), true);
});

await test('without scripts the page says what it needs, and shows the rest', async () => {
  const page = await browser.newPage();
  const session = await browser.newCDPSession(page);
  await session.send('Emulation.setScriptExecutionDisabled', { value: true });
  await page.goto(pathToFileURL(join(pages, 'rows.html')).href);
  const text = await page.locator('body').innerText();
  assert.match(text, /unpacked by a script in this page, which the browser has to be let run/);
  for (const selector of ['.strip', '#check .headline', '#choices table', '#kernels svg', '#program table', '.parts a']) {
    assert.equal(await page.locator(selector).first().isVisible(), true, selector);
  }
  for (const selector of ['.search', '#open-all', '#theme', '#needs']) {
    assert.equal(await page.locator(selector).isVisible(), false, selector);
  }
});

await test('a browser that cannot unpack it is told so', async () => {
  const page = await browser.newPage();
  await page.addInitScript(() => { delete window.DecompressionStream; });
  await page.goto(pathToFileURL(join(pages, 'rows.html')).href);
  await page.locator('#needs').waitFor();
  assert.match(await page.locator('#needs').textContent(), /this browser is too old/);
});

await test('sections can be reached from everywhere, and wide tables show that there is more', async () => {
  for (const width of [420, 1280]) {
    const { page } = await open('rows.html', { width });
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    const link = page.locator('.parts a[href="#choices"]');
    await link.click();
    const [bar, heading] = [await page.locator('.dock').boundingBox(), await page.locator('#choices-h').boundingBox()];
    assert(bar.y === 0 && bar.height < 140, `the bar stays: ${JSON.stringify(bar)}`);
    assert(heading.y >= bar.height && heading.y < bar.height + 60, `${JSON.stringify(heading)} is below the bar`);
  }
  const { page } = await open('rows.html', { width: 420 });
  const wide = page.locator('.scroll:has(svg.tree)').first();
  const state = () => wide.evaluate(each => [...each.classList, each.tabIndex, getComputedStyle(each).maskImage.startsWith('linear')].join(' '));
  await page.waitForFunction(() => document.querySelector('.scroll:has(svg.tree)').classList.contains('after'));
  assert.equal(await state(), 'scroll after 0 true');
  await wide.focus();
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction(() => document.querySelector('.scroll:has(svg.tree)').scrollLeft > 5);
  await wide.evaluate(each => { each.scrollLeft = each.scrollWidth; each.blur(); });
  await page.waitForFunction(() => !document.querySelector('.scroll:has(svg.tree)').classList.contains('after'));
  assert.equal(await state(), 'scroll before 0 true');
  const { page: broad } = await open('rows.html', { width: 1280 });
  assert.equal(await broad.locator('.scroll:has(svg.tree)').first().getAttribute('class'), 'scroll');
});

await test('in a narrow window the cells of a row stand below each other, under the headings of their columns', async () => {
  const all = [360, 420, 700, 701, 820];
  for (const [name, widths] of [['rows.html', all], ['many.html', [360]], ['refused.html', [360]], ['fragments.html', all]]) {
    for (const width of widths) {
      const { page } = await open(name, { width });
      await page.evaluate(() => document.querySelectorAll('details').forEach(each => { each.open = true; }));
      const hidden = await page.evaluate(() => [...document.querySelectorAll('.scroll:has(table.plain)')]
        .filter(each => each.scrollWidth > each.clientWidth + 1).map(each => each.getAttribute('aria-label')));
      assert.deepEqual(hidden, [], `${name} at ${width}: to the side is more`);
      await page.close();
    }
  }
  const { page } = await open('rows.html', { width: 420 });
  const cells = async table => page.locator(table).first().locator('tbody tr').last().evaluate(row => [...row.cells].map(cell => {
    const { top, left, right } = cell.getBoundingClientRect();
    return { heading: getComputedStyle(cell, '::before').content, top, left, right };
  }));
  for (const [table, heading] of [['#check table.plain', 'Detail'], ['table.variants', 'Why not']]) {
    const row = await cells(table);
    assert.equal(row.at(-1).heading, `"${heading}"`);
    const shown = row.filter(cell => cell.right > cell.left);
    assert(shown.length > 2, table);
    shown.slice(1).forEach((cell, i) => assert(cell.top > shown[i].top && cell.right <= 420, `${table}: ${JSON.stringify(row)}`));
  }
  const { page: broad } = await open('rows.html', { width: 1280 });
  const tops = await broad.locator('table.variants tbody tr').first().evaluate(row => [...row.cells].map(cell => cell.getBoundingClientRect().top));
  assert.equal(new Set(tops).size, 1, 'a row is a row where there is room');
});

await test('what comes as a whole has the width of both sides', async () => {
  const { page } = await open('many.html');
  await page.locator('#open-all').click();
  const wide = page.locator('#stage-4 tr.i.wide');
  assert(await wide.count() > 20);
  const [row, cell] = [await wide.first().boundingBox(), await wide.first().locator('td.t').boundingBox()];
  assert(cell.width > row.width * 0.9, `${cell.width} of ${row.width}`);
});

await test('a stage without anything to show says why', async () => {
  const { page } = await open('rows.html');
  const last = page.locator('details.stage').last();
  assert.match(await last.locator('summary').textContent(), /gpu-module-to-binary.*no change.*not run/);
  assert.match(await page.locator('.strip li').last().textContent(), /not run/);
  assert.match(await last.textContent(), /PTX is not executed.*This stage found nothing to do: the module is as it was/);
});

await test('a program that is refused says why and where', async () => {
  const { page, complaints } = await open('refused.html');
  assert.match(await page.locator('#refused').textContent(), /no variant can lower this reduction|cannot lower/);
  assert.match(await page.locator('#refused').textContent(), /TX\d{4}: tx explain TX\d{4}/);
  assert(await page.locator('#refused li li').count() > 0, 'variants and their reasons');
  assert(await page.locator('details.stage').count() > 0, 'stages before it');
  const { page: unread } = await open('unread.html');
  assert.match(await unread.locator('#refused').textContent(), /cannot be read/);
  assert.equal(await unread.locator('details.stage, #open-all').count(), 0, 'no stages, and nothing that would open them');
  assert.doesNotMatch(await unread.locator('footer').textContent(), /stage/, 'nor keys for them');
  assert.equal(await page.locator('#ptx').count(), 0);
  assert.deepEqual(complaints, []);
});

await test('nothing of a program is run', async () => {
  const { page, complaints, asked } = await open('hostile.html');
  await page.locator('#open-all').click();
  assert.equal(await page.evaluate(() => window.hit), undefined);
  assert.deepEqual(complaints, []);
  assert.deepEqual(asked, []);
  assert.equal(await page.locator('script').count(), 2);
  assert.equal(await page.locator('img, iframe, object, embed, link').count(), 0);
  assert.match(await page.locator('#program').textContent(), /<\/script><script>window\.hit = 1<\/script>/);
  assert.match(await page.locator('h1').textContent(), /<img src=x onerror=hit=1>&\.mlir/);
});

await test('it looks as it did', async () => {
  const { page } = await open('rows.html', { width: 1000 });
  await looks(page, '.pipeline', 'pipeline');
  await looks(page, '#stage-5', 'stage');
  const dark = await open('rows.html', { theme: 'dark', width: 680 });
  await looks(dark.page, 'svg.tree', 'tree-dark');
  const narrow = await open('rows.html', { width: 400 });
  await looks(narrow.page, '#stage-5', 'stage-narrow');
  const fragments = await open('fragments.html', { width: 520 });
  await looks(fragments.page, '.layout', 'layout');
});

await browser.close();
rmSync(profile, { recursive: true, force: true });
if (failed) {
  console.log(`${failed} failed`);
  process.exit(1);
}
