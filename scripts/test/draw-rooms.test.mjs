// The drawing of the folders shows every import, none twice over, and the check sees a difference.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { drawInto, drawing, withoutShortcuts } from '../draw-rooms.mjs';

const graph = (arrows) => new Map(Object.entries(arrows).map(([from, to]) => [from, new Set(to)]));

it('leaves out exactly the arrows that follow from others', () => {
  const reduced = withoutShortcuts(graph({ a: ['b', 'c', 'd'], b: ['c'], c: ['d'], d: [] }));
  assert.deepEqual(Object.fromEntries(reduced), { a: ['b'], b: ['c'], c: ['d'], d: [] });
});

it('draws a box for each folder, from the top floor down', () => {
  const chart = drawing(
    graph({ 'libs/core': [], 'libs/serve/http': ['libs/core'], 'apps/api': ['libs/serve/http', 'libs/core'] }),
  );
  assert.deepEqual(chart.split('\n').slice(2, -1), [
    '  apps_api([apps/api])',
    '  libs_http[libs/serve/http]',
    '  libs_core[libs/core]',
    '  apps_api --> libs_http',
    '  libs_http --> libs_core',
  ]);
});

it('sees a drawing that shows other imports', () => {
  const marks =
    'before\n<!-- Drawn from the imports by scripts/draw-rooms.mjs --write; npm run check compares it. -->\n\nold\n\n<!-- End of the drawing. -->\nafter';
  const first = drawInto(marks, 'new');
  assert.equal(first.differs, true);
  assert.match(first.drawn, /^before\n.*\n\nnew\n\n<!-- End of the drawing. -->\nafter$/);
  assert.equal(drawInto(first.drawn, 'new').differs, false);
  assert.throws(() => drawInto('no marks', 'new'), /lacks the marks/);
});
