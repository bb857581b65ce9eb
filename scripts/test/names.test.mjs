// The check of names must see imports and literals, tell names from longer ones, and leave own places and comments out.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { checkNames, foreignNames, namesOf } from '../names.mjs';

const names = [
  { name: 'eth', home: 'libs/chain/chains/eth' },
  { name: 'base', home: 'libs/chain/chains/base' },
  { name: 'uniswap-v2', home: 'libs/chain/venues/uniswap-v2' },
  { name: 'aerodrome', home: 'libs/chain/venues/aerodrome' },
  { name: 'aerodrome-slipstream', home: 'libs/chain/venues/aerodrome-slipstream' },
];
const found = (file, text) => foreignNames(file, text, names).map(({ line, name }) => `${line} ${name}`);

describe('foreignNames', () => {
  it('sees a name in a literal, a template and an import', () => {
    const text = `import { a } from '#libs/chain/venues/uniswap-v2/venue.js';
if (slug === 'eth') f("eth-uniswap-v2");
const id = \`\${x}-aerodrome\`;`;
    assert.deepEqual(found('libs/core/x.ts', text), ['1 uniswap-v2', '2 eth', '2 eth', '2 uniswap-v2', '3 aerodrome']);
    assert.deepEqual(
      found('libs/chain/venues/y.ts', `import './eth/x.js'; export * from './uniswap-v2/venue.js';`),
      [],
    );
    assert.deepEqual(
      found('libs/chain/chains/registry2.ts', `import { eth } from '#libs/chain/chains/eth/chain.js';`),
      ['1 eth'],
    );
  });

  it('takes no file of Solidity sources for a chain', () => {
    const sol = (text) => foreignNames('libs/core/x.ts', text, [{ name: 'sol', home: 'libs/chain/chains/sol' }]).length;
    assert.equal(sol(`f('@package/contracts/Factory.sol/Factory.json');`), 0);
    assert.equal(sol(`f('facts.sol.e1', 'sol/x');`), 2);
  });

  it('takes the longer name for itself, and no part of a word for a name', () => {
    assert.deepEqual(found('libs/core/x.ts', `f('aerodrome-slipstream', 'ethers', 'method', 'uniswap-v20');`), [
      '1 aerodrome-slipstream',
    ]);
  });

  it('sees only imports of a name that is a common word', () => {
    assert.deepEqual(
      found('libs/core/x.ts', `side === 'base'; import { b } from '#libs/chain/chains/base/chain.js';`),
      ['1 base'],
    );
  });

  it('leaves comments, expressions of templates and the own places of a name out', () => {
    assert.deepEqual(found('libs/core/x.ts', `// 'eth'\n/* 'eth' */ const a = \`\${eth(x)} coins\`;`), []);
    assert.deepEqual(
      found('libs/chain/chains/eth/chain.ts', `const slug = 'eth'; const venues = { 'uniswap-v2': 1 };`),
      [],
    );
    assert.deepEqual(found('libs/devkit/devnet/evm/markets/eth.ts', `const slug = 'eth';`), []);
    assert.deepEqual(
      found('libs/chain/venues/uniswap-v2/venue.ts', `const name = 'uniswap-v2', other = 'aerodrome';`),
      ['1 aerodrome'],
    );
  });
});

describe('checkNames', () => {
  const root = mkdtempSync(join(tmpdir(), 'tidepool-names-'));
  after(() => rmSync(root, { recursive: true, force: true }));
  const write = (file, text) => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  };
  write('libs/chain/chains/eth/chain.ts', `export const eth = { slug: 'eth' };`);
  write('libs/chain/chains/registry.ts', `import { eth } from '#libs/chain/chains/eth/chain.js';`);
  write('libs/chain/chains/evm/node.ts', '');
  write('libs/chain/venues/uniswap-v2/venue.ts', '');
  write('libs/chain/launchpads/pump-fun/decode.ts', '');
  write('libs/core/x.ts', `f('eth', 'uniswap-v2');`);
  write('libs/core/x.spec.ts', `f('eth');`);

  it('takes the names from the folders', () => {
    assert.deepEqual(
      namesOf(root).map(({ name }) => name),
      ['eth', 'uniswap-v2', 'pump-fun'],
    );
  });

  it('reports what is new, accepts what is listed, and asks for a shorter list', () => {
    const wrong = (remaining) => checkNames(root, remaining).wrong;
    assert.match(wrong({})[0], /libs\/core\/x\.ts names 2 times .* \(0 from before\)/);
    assert.equal(wrong({}).length, 3);
    assert.match(wrong({ 'libs/core/x.ts': 1 })[0], /names 2 times .* \(1 from before\)/);
    assert.deepEqual(wrong({ 'libs/core/x.ts': 2 }), []);
    assert.deepEqual(checkNames(root, { 'libs/core/x.ts': 3 }).lower.length, 1);
    assert.match(
      wrong({ 'libs/core/x.ts': 2, 'libs/core/gone.ts': 1 })[0],
      /gone\.ts names no chain or venue any more/,
    );
  });
});
