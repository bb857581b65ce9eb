// Takes Clanker v4 into ../generated/clanker.json: its contracts as they are on Base, which its repository ships compiled;
// the contracts of v4.1, compiled from the same repository with its own settings; and what of Uniswap these need, as the packages
// ship it compiled. The result is committed, so nothing here runs at install, build or test time. To run it again:
//   mkdir clanker && cd clanker && npm init -y      (outside this project)
//   npm i --ignore-scripts solc@0.8.28 @openzeppelin/contracts@5.1.0 @uniswap/universal-router@2.0.0 @uniswap/v4-periphery@1.0.3
//   git clone https://github.com/clanker-devco/v4-contracts       (at b004c2e)
//   node …/libs/devkit/devnet/evm/contracts/extract-clanker.mjs .
// Licences: MIT (Clanker, the position manager, Permit2), GPL-2.0-or-later (the universal router); the code runs in tests alone.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';

const [named] = process.argv.slice(2);
if (named === undefined) throw new Error('name the folder with the packages and the clone');
const folder = resolve(named);
const require = createRequire(join(folder, 'package.json'));
const CLONE = join(folder, 'v4-contracts');
const UNISWAP = join(folder, 'node_modules/@uniswap');
/** Where the factory finds its library. */
const LIBRARY = '00000000000000000000000000000000b0a75e05';
/** By what an import begins with. The router's copy of the periphery is of the same time as the sources. */
const ROOTS = [
  ['@openzeppelin/contracts/', join(folder, 'node_modules/@openzeppelin/contracts')],
  ['@uniswap/v4-core/', join(UNISWAP, 'universal-router/lib/v4-periphery/lib/v4-core')],
  ['@uniswap/v4-periphery/', join(UNISWAP, 'universal-router/lib/v4-periphery')],
  ['@uniswap/universal-router/', join(UNISWAP, 'universal-router')],
  ['@uniswap/permit2/', join(UNISWAP, 'v4-periphery/lib/permit2')],
  ['permit2/', join(UNISWAP, 'v4-periphery/lib/permit2')],
  ['src/', join(CLONE, 'src')],
];

const json = (file) => JSON.parse(readFileSync(file, 'utf8'));
// Only the constructor is needed.
const artifact = (abi, object) => {
  const hex = object.replace(/^0x/, '').replaceAll(/__\$[0-9a-f]{34}\$__/g, LIBRARY);
  if (!/^[0-9a-f]+$/.test(hex)) throw new Error('a contract that is not linked');
  return { abi: abi.filter(({ type }) => type === 'constructor'), bytecode: `0x${hex}` };
};

function asOnBase(name) {
  const { abi, bytecode } = json(join(CLONE, `base_mainnet_abis/${name}.sol/${name}.json`));
  return artifact(abi, bytecode.object);
}

const CHANGES = [
  // The hook names the token's type and never uses it; its source needs packages of another chain.
  ['import {ClankerToken} from "../ClankerToken.sol";\n', ''],
  // The factory on Base asks a hook for the interface as it was at first: the source says that it had fewer functions.
  [
    'return interfaceId == type(IClankerHook).interfaceId\n',
    `return interfaceId == ${['initializePool', 'initializePoolOpen', 'initializeMevModule', 'supportsInterface']
      .map((name) => `IClankerHook.${name}.selector`)
      .join(' ^ ')}\n`,
  ],
];

/** An import may spell a file's name in another case than the file has. */
function source(name) {
  const [prefix, root] = ROOTS.find(([from]) => name.startsWith(from)) ?? [];
  const file = root === undefined ? name : join(root, name.slice(prefix.length));
  if (!existsSync(dirname(file))) return { error: `${name} is missing` };
  const found = readdirSync(dirname(file)).find((each) => each.toLowerCase() === basename(file).toLowerCase());
  if (found === undefined) return { error: `${name} is missing` };
  const text = readFileSync(join(dirname(file), found), 'utf8');
  return { contents: CHANGES.reduce((changed, [from, to]) => changed.replace(from, to), text) };
}

const COMPILED = {
  ClankerHookStaticFeeV2: 'src/hooks/ClankerHookStaticFeeV2.sol',
  ClankerPoolExtensionAllowlist: 'src/hooks/ClankerPoolExtensionAllowlist.sol',
  ClankerSniperAuctionV2: 'src/mev-modules/ClankerSniperAuctionV2.sol',
};

function compiled() {
  const solc = require('solc');
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(Object.values(COMPILED).map((file) => [file, { content: source(file).contents }])),
    settings: {
      ...{ viaIR: true, evmVersion: 'cancun', optimizer: { enabled: true, runs: 20_000 } },
      metadata: { bytecodeHash: 'none', appendCBOR: false },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: source }));
  const errors = (output.errors ?? []).filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'));
  const made = Object.entries(COMPILED).map(([name, file]) => {
    const { abi, evm } = output.contracts[file][name];
    return [name, artifact(abi, evm.bytecode.object)];
  });
  return { compiler: solc.version(), contracts: Object.fromEntries(made) };
}

/** Init code that leaves this code: the helper has it as it is on a chain. */
const returning = (code) => `61${(code.length / 2).toString(16).padStart(4, '0')}80600a5f395ff3${code}`;

function uniswap() {
  const positions = json(join(UNISWAP, 'v4-periphery/foundry-out/PositionManager.sol/PositionManager.json'));
  const router = json(join(UNISWAP, 'universal-router/artifacts/contracts/UniversalRouter.sol/UniversalRouter.json'));
  const helper = readFileSync(join(UNISWAP, 'v4-periphery/lib/permit2/test/utils/DeployPermit2.sol'), 'utf8');
  return {
    Permit2: artifact([], returning(/hex"([0-9a-f]+)"/.exec(helper)[1])),
    PositionManager: artifact(positions.abi, positions.bytecode.object),
    UniversalRouter: artifact(router.abi, router.bytecode),
  };
}

const OF_BASE = ['Clanker', 'ClankerDeployer', 'ClankerFeeLocker', 'ClankerLpLockerFeeConversion'];
const { compiler, contracts } = compiled();
const artifacts = {
  source: 'clanker-devco/v4-contracts@b004c2e, @uniswap/universal-router@2.0.0, @uniswap/v4-periphery@1.0.3',
  ...{ compiler, library: `0x${LIBRARY}` },
  contracts: {
    ...Object.fromEntries([...OF_BASE, 'ClankerUniv4EthDevBuy'].map((name) => [name, asOnBase(name)])),
    ...contracts,
    ...uniswap(),
  },
};
writeFileSync(new URL('../generated/clanker.json', import.meta.url), `${JSON.stringify(artifacts)}\n`);
