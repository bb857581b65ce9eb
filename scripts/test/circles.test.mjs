// The circle check must see circles of files and of folders, type-only imports included.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkCircles, components, fileGraph } from '../circles.mjs';

/** What is found in a tree of these files. */
function circlesOf(tree) {
  return checkCircles(
    '',
    fileGraph('', Object.keys(tree), (file) => tree[file]),
  );
}

describe('circles between files', () => {
  const pair = {
    'libs/a/one.ts': `import { two } from './two.js';`,
    'libs/a/two.ts': `import type { One } from '#libs/a/one.js';`,
    'libs/a/three.ts': `import { one } from './one.js';`,
  };

  it('finds one closed by a type and prints it once, import by import', () => {
    const found = circlesOf(pair);
    assert.equal(found.length, 1);
    assert.match(
      found[0],
      /^circle of files:\n {2}libs\/a\/one\.ts -> libs\/a\/two\.ts\n {2}libs\/a\/two\.ts -> libs\/a\/one\.ts$/,
    );
  });

  it('prints the shortest of several, and only what is on it', () => {
    const found = circlesOf({
      'test/a.ts': `import './b.js'; import './d.js';`,
      'test/b.ts': `import './c.js';`,
      'test/c.ts': `import './a.js';`,
      'test/d.tsx': `export * from './a.js';`,
    });
    assert.equal(found.length, 1);
    assert.deepEqual(found[0].split('\n').length, 3);
    assert.match(found[0], /test\/d\.tsx -> test\/a\.ts/);
  });

  it('lets trees, packages and imports of oneself pass', () => {
    assert.deepEqual(
      circlesOf({
        'libs/a/one.ts': `import { two } from './two.js'; import { x } from 'two'; import './one.js';`,
        'libs/a/two.ts': `// import './one.js';`,
      }),
      [],
    );
  });
});

describe('circles between folders', () => {
  it('finds layers that import each other through different files', () => {
    const found = circlesOf({
      'libs/a/one.ts': `import '#libs/b/one.js';`,
      'libs/b/one.ts': '',
      'libs/b/deep/two.ts': `import '#libs/a/two.js';`,
      'libs/a/two.ts': '',
    });
    assert.equal(found.length, 1);
    assert.match(found[0], /^circle of layers:/);
    assert.match(found[0], /libs\/b -> libs\/a {2}\(libs\/b\/deep\/two\.ts imports libs\/a\/two\.ts\)/);
  });

  it('finds sub-folders of an app or library that import each other', () => {
    const found = circlesOf({
      'apps/a/src/live/x.ts': `import '../rest/x.js';`,
      'apps/a/src/rest/x.ts': '',
      'apps/a/src/rest/y.ts': `import type { Y } from '../live/y.js';`,
      'apps/a/src/live/y.ts': '',
    });
    assert.equal(found.length, 1);
    assert.match(found[0], /^circle of folders:/);
    assert.match(found[0], /apps\/a\/src\/rest -> apps\/a\/src\/live/);
    assert.deepEqual(circlesOf({ 'apps/a/src/live/x.ts': `import '../rest/x.js';`, 'apps/a/src/rest/x.ts': '' }), []);
  });

  it('takes a file at the top for itself: it may use a folder, and a folder may use another file there', () => {
    assert.deepEqual(
      circlesOf({
        'apps/a/src/main.ts': `import './rest/x.js';`,
        'apps/a/src/rest/x.ts': `import '../words.js';`,
        'apps/a/src/words.ts': '',
      }),
      [],
    );
    const back = {
      'apps/a/src/main.ts': `import './rest/x.js';`,
      'apps/a/src/rest/x.ts': `import './y.js';`,
      'apps/a/src/rest/y.ts': `import '../main.js';`,
    };
    assert.deepEqual(
      circlesOf(back).map((found) => found.split(':')[0]),
      ['circle of files', 'circle of folders'],
    );
  });

  it('leaves specs and test folders out', () => {
    assert.deepEqual(
      circlesOf({
        'libs/a/one.ts': `import '#libs/b/one.js';`,
        'libs/a/two.ts': '',
        'libs/b/one.ts': '',
        'libs/b/one.spec.ts': `import '#libs/a/two.js';`,
        'libs/b/test/world.ts': `import '#libs/a/two.js';`,
      }),
      [],
    );
  });
});

it('components are the sets of nodes that reach each other', () => {
  const graph = new Map(Object.entries({ a: ['b'], b: ['c', 'd'], c: ['a'], d: ['e'], e: ['d'], f: ['a'] }));
  assert.deepEqual(
    components(graph)
      .map((members) => members.sort())
      .sort(),
    [
      ['a', 'b', 'c'],
      ['d', 'e'],
    ],
  );
});
