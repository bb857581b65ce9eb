// Compiles PancakeSwap's own sources, with its own compiler settings, into ../generated/pancakeswap.json.
// The result is committed, so nothing here runs at install, build or test time. To run it again:
//   mkdir pancake && cd pancake && npm init -y      (outside this project)
//   npm i solc-v0418@npm:solc@0.4.18 solc-v0516@npm:solc@0.5.16 solc-v066@npm:solc@0.6.6 solc-v076@npm:solc@0.7.6 \
//     @openzeppelin/contracts@3.4.2-solc-0.7 @uniswap/lib@4.0.1-alpha @uniswap/v2-core@1.0.1 base64-sol@1.0.1
//   git clone https://github.com/pancakeswap/pancake-v3-contracts       (at 5cc479f0c5a98966c74d94700057b8c3ca629afd)
//   git clone https://github.com/pancakeswap/pancake-smart-contracts    (at cb079908a30328e46d42fe8cc77b9f7d38a15c2f)
//   node …/libs/devkit/devnet/contracts/compile-pancakeswap.mjs .
// The pair and the V3 pool come out as published: the script checks the hashes of their init code. Only SmartRouter's
// library knows the pair of a test network, and is set to the one compiled here. Licences: the sources' own, GPL-3.0 (V2)
// and GPL-2.0-or-later (V3); the code runs on local chains and in tests alone.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, posix, resolve } from 'node:path';
import { keccak256 } from 'viem';

const [named] = process.argv.slice(2);
if (named === undefined) throw new Error('name the folder with the compilers and the clones');
const folder = resolve(named);
const require = createRequire(join(folder, 'package.json'));

const V2 = join(folder, 'pancake-smart-contracts/projects/exchange-protocol');
const V3 = (project) => join(folder, 'pancake-v3-contracts/projects', project);
/** Where SmartRouter finds its library; the local chain puts it there. */
const HELPER = '0x00000000000000000000000000000000b0a75e01';
const V3_POOL_HASH = '0x6ce8eb472fa82df5469c6ab6d485f17c3ad13c8cd7af59b3d4a8026c5ce0f7e2';
/** What PancakeLibrary.sol, by which the V2 router computes addresses, states. */
const V2_PAIR_HASH = '0xa5934690703a592a07e841ca29d5e5c79b5e22ed4749057bb216dc31100be1c0';
const TESTNET_HASH = 'd0d4c4cd0848c93cb4fd1f498d7013ee6bfb25783ea21593d5834f5d250ece66';

/** The file that an import names: packages of the same repository from there, others from node_modules. */
function locate(project, name) {
  if (name.startsWith('@pancakeswap/v3-')) return join(V3(name.split('/')[1]), name.split('/').slice(2).join('/'));
  return name.startsWith('@') || name.startsWith('base64-sol')
    ? join(folder, 'node_modules', name)
    : join(project, name);
}

function collect(project, entry, replace) {
  const sources = {};
  const visit = (name) => {
    if (sources[name]) return;
    const content = replace(readFileSync(locate(project, name), 'utf8'));
    sources[name] = { content };
    for (const [, imported] of content.matchAll(/^\s*import\s+(?:\{[^}]*\}\s+from\s+)?['"]([^'"]+)['"]/gm)) {
      visit(imported.startsWith('.') ? posix.join(posix.dirname(name), imported) : imported);
    }
  };
  visit(entry);
  return sources;
}

function compile({ solc, project, entry, name, settings, replace = (text) => text }) {
  const compiler = require(solc);
  const input = {
    language: 'Solidity',
    sources: collect(project, entry, replace),
    settings: { ...settings, outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } } },
  };
  const run = compiler.compileStandardWrapper ?? compiler.compile;
  const output = JSON.parse(run(JSON.stringify(input)));
  const errors = (output.errors ?? []).filter((error) => error.severity === 'error');
  if (errors.length > 0) throw new Error(errors.map((error) => error.formattedMessage).join('\n'));
  const { abi, evm } = output.contracts[entry][name];
  const { object } = evm.bytecode;
  if (!/^[0-9a-f]+$/.test(object)) throw new Error(`${name} is not linked`);
  // Only the constructor is needed: calls are written against periphery-abi.ts.
  return { abi: abi.filter(({ type }) => type === 'constructor'), bytecode: `0x${object}` };
}

const v2Settings = { optimizer: { enabled: true, runs: 99999 } };
const v3Settings = (runs) => ({
  ...{ evmVersion: 'istanbul', optimizer: { enabled: true, runs } },
  metadata: { bytecodeHash: 'none' },
});
const contract = (name, file = `contracts/${name}.sol`) => ({ name, entry: file });

const pair = compile({ ...contract('PancakePair'), solc: 'solc-v0516', project: V2, settings: v2Settings });
if (keccak256(pair.bytecode) !== V2_PAIR_HASH) throw new Error('the V2 pair is not the published one');
const pool = compile({
  ...contract('PancakeV3Pool'),
  solc: 'solc-v076',
  project: V3('v3-core'),
  settings: v3Settings(400),
});
if (keccak256(pool.bytecode) !== V3_POOL_HASH) throw new Error('the V3 pool is not the published one');

const helperSource = 'contracts/libraries/SmartRouterHelper.sol';
const routerSettings = {
  optimizer: { enabled: true, runs: 10 },
  libraries: { [helperSource]: { SmartRouterHelper: HELPER } },
};
const v3 = (name, project, runs, file) => ({
  ...contract(name, file),
  solc: 'solc-v076',
  project: V3(project),
  settings: v3Settings(runs),
});
const router = (name, file) => ({
  ...contract(name, file),
  solc: 'solc-v076',
  project: V3('router'),
  settings: routerSettings,
  replace: (text) => text.replaceAll(TESTNET_HASH, V2_PAIR_HASH.slice(2)),
});
const wanted = [
  { ...contract('WBNB', 'contracts/libraries/WBNB.sol'), solc: 'solc-v0418', project: V2, settings: v2Settings },
  { ...contract('PancakeFactory'), solc: 'solc-v0516', project: V2, settings: v2Settings },
  { ...contract('PancakeRouter'), solc: 'solc-v066', project: V2, settings: v2Settings },
  v3('PancakeV3PoolDeployer', 'v3-core', 400),
  v3('PancakeV3Factory', 'v3-core', 1_000_000),
  v3('NonfungiblePositionManager', 'v3-periphery', 2_000),
  v3('QuoterV2', 'v3-periphery', 1_000_000, 'contracts/lens/QuoterV2.sol'),
  router('SmartRouterHelper', helperSource),
  router('SmartRouter'),
];
const contracts = Object.fromEntries(wanted.map((item) => [item.name, compile(item)]));
for (const name of ['PancakeRouter', 'SmartRouterHelper']) {
  if (!contracts[name].bytecode.includes(V2_PAIR_HASH.slice(2)))
    throw new Error(`${name} does not know the pair's init code`);
}
const artifacts = {
  sources: [
    'https://github.com/pancakeswap/pancake-smart-contracts at cb079908a30328e46d42fe8cc77b9f7d38a15c2f, GPL-3.0',
    'https://github.com/pancakeswap/pancake-v3-contracts at 5cc479f0c5a98966c74d94700057b8c3ca629afd, GPL-2.0-or-later',
  ],
  smartRouterHelper: HELPER,
  contracts,
};
writeFileSync(new URL('../generated/pancakeswap.json', import.meta.url), `${JSON.stringify(artifacts)}\n`);
for (const [name, { bytecode }] of Object.entries(contracts)) console.log(name, bytecode.length / 2 - 1, 'bytes');
