// Compiles the local chain's own contracts into ../generated/contracts.json, and tokens of every kind that a trader meets into
// ../generated/zoo.json: node libs/devkit/devnet/evm/contracts/compile.mjs
// The results are committed, so nothing here runs at install, build or test time.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const solc = createRequire(import.meta.url)('solc');
const read = (file) => readFileSync(new URL(file, import.meta.url), 'utf8');

function compile(files, into) {
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(files.map((file) => [file, { content: read(file) }])),
    settings: {
      optimizer: { enabled: true, runs: 1000 },
      evmVersion: 'paris',
      metadata: { bytecodeHash: 'none' },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input)));
  const errors = (output.errors ?? []).filter((error) => error.severity === 'error');
  if (errors.length > 0) throw new Error(errors.map((error) => error.formattedMessage).join('\n'));

  const contracts = {};
  for (const file of files) {
    for (const [name, { abi, evm }] of Object.entries(output.contracts[file])) {
      if (evm.bytecode.object !== '') contracts[name] = { abi, bytecode: `0x${evm.bytecode.object}` };
    }
  }
  const artifacts = { compiler: solc.version(), contracts };
  writeFileSync(new URL(`../generated/${into}`, import.meta.url), `${JSON.stringify(artifacts)}\n`);
  for (const [name, { bytecode }] of Object.entries(contracts)) console.log(name, bytecode.length / 2 - 1, 'bytes');
}

compile(['DevTokens.sol', 'Multicall3.sol', 'TidepoolLaunchpad.sol', 'UniswapV4Dealer.sol'], 'contracts.json');
compile(['Zoo.sol'], 'zoo.json');
