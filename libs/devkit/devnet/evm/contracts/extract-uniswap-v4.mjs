// Takes Uniswap V4's pool manager, as its package ships it compiled, into ../generated/uniswap-v4.json.
// The result is committed, so nothing here runs at install, build or test time. To run it again:
//   mkdir v4 && cd v4 && npm init -y && npm i @uniswap/v4-core@1.0.2      (outside this project)
//   node …/libs/devkit/devnet/evm/contracts/extract-uniswap-v4.mjs .
// Licence: BUSL-1.1 (../generated/uniswap-v4.LICENSE), which allows copies and use outside production: the code runs on
// local chains and in tests alone.
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const [named] = process.argv.slice(2);
if (named === undefined) throw new Error('name the folder with the package');
const folder = join(resolve(named), 'node_modules/@uniswap/v4-core');
const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const { abi, bytecode, metadata } = JSON.parse(
  readFileSync(join(folder, 'out/PoolManager.sol/PoolManager.json'), 'utf8'),
);
const { compiler, settings } = typeof metadata === 'string' ? JSON.parse(metadata) : metadata;
const { evmVersion, optimizer, viaIR } = settings;
if (evmVersion !== 'cancun' || optimizer.runs !== 44_444_444 || !viaIR) throw new Error('not the published settings');
// Only the constructor is needed: calls are written against uniswap-v4/abi.ts.
const contracts = { PoolManager: { abi: abi.filter(({ type }) => type === 'constructor'), bytecode: bytecode.object } };
const artifacts = { source: `@uniswap/v4-core@${version}`, compiler: compiler.version, contracts };
const target = (name) => new URL(`../generated/${name}`, import.meta.url);
writeFileSync(target('uniswap-v4.json'), `${JSON.stringify(artifacts)}\n`);
copyFileSync(join(folder, 'licenses/BUSL_LICENSE'), target('uniswap-v4.LICENSE'));
