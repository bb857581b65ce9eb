import { MAX_WIRE_BYTES } from '#libs/chain/chains/solana/wire-transaction.js';
import { TidepoolError } from '#libs/core/errors.js';
import type { Hex } from '#libs/core/ids.js';
import type { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import {
  addLiquidity,
  addRow,
  bufferOf,
  type Instruction,
  initConfig,
  initLaunchpad,
  initPool,
  type PoolKeys,
  programData,
  programDataId,
  UPGRADEABLE_LOADER,
  u32,
  u64,
  WRAPPED_MINT,
} from '#programs/client.js';
import { executable } from '#programs/executable.js';
import { metadataUri } from '../../token-picture.js';
import type { ChainAccount, Edit } from '../chain-types.js';
import type { LocalSolana } from '../local-solana.js';
import {
  AMM,
  base58,
  type ListedToken,
  LOCAL_LAUNCHPAD_ID,
  type MarketListing,
  SWAP,
  unitsWorth,
} from './market-listing.js';
import { METADATA_PROGRAM, metadataBytes, metadataId } from './metaplex-account.js';
import { POOLS } from './plan.js';
import type { SeededKey } from './seeded-key.js';
import { signTransaction } from './sign-transaction.js';
import {
  associated,
  createAccount,
  createAssociated,
  initializeMint,
  mintTo,
  pointToOwnMetadata,
  renounceMinting,
  syncNative,
  TOKEN_2022,
  takeTransferFee,
  transferLamports,
  writeOwnMetadata,
} from './token-calls.js';

/**
 * Makes the market on an empty chain. What a local chain cannot do otherwise is written directly: programs, the mints at
 * addresses of others, and metadata accounts. Everything else is done by transactions, every one of which must succeed, so that a reader
 * of the chain from its first slot sees where each balance came from.
 */
type Chain = Pick<LocalSolana, 'edit' | 'send' | 'slot' | 'airdrop' | 'blockhash' | 'resultOf'>;

const LAMPORTS = 1_000_000_000n;
const DEPLOYER_LAMPORTS = 2_000_000n * LAMPORTS;
export const WALLET_LAMPORTS = 2_000n * LAMPORTS;
const WRAPPED_LAMPORTS = 250n * LAMPORTS;
/** USD of every token that the deployer keeps, for requests for funds. */
const TREASURY_USD = 10_000_000;
/** Highest fee that the swap program's config accepts. */
const MAX_FEE_BPS = 500;
const TRANSACTIONS_PER_SLOT = 12;
const MINT_BYTES = 82;
const LOADER = base58(UPGRADEABLE_LOADER);

const rent = (bytes: number): bigint => (128n + BigInt(bytes)) * 6960n;

/** Inside of the address, which Metaplex bounds: nothing is asked of any host. */
export const uriOf = (symbol: string): string => metadataUri(symbol, 'Of a local chain');

export function setUpMarket(chain: Chain, listing: MarketListing, random: SeededRandom, tick: () => void): void {
  const { deployer } = listing;
  for (const edit of firstEdits(listing)) chain.edit(edit);
  chain.airdrop(deployer.address, DEPLOYER_LAMPORTS);
  run(chain, tick, []);
  const orders: Sending[] = [
    ...packed(deployer, programSetup(listing)),
    ...listing.tokens.filter(({ key }) => key !== null).map((token) => mintCreation(deployer, token)),
    ...packed(deployer, holdings(listing, random)),
    ...listing.pools.map((pool, i) => poolCreation(listing, pool.keys, POOLS[i]!)),
    ...packed(deployer, renounced(listing)),
  ];
  for (let at = 0; at < orders.length; at += TRANSACTIONS_PER_SLOT) {
    run(chain, tick, orders.slice(at, at + TRANSACTIONS_PER_SLOT));
  }
}

interface Sending {
  payer: SeededKey;
  signers: readonly SeededKey[];
  instructions: readonly Instruction[];
}

/** One slot with these transactions. */
function run(chain: Chain, tick: () => void, sendings: readonly Sending[]): void {
  const sent = sendings.map((sending) => chain.send(signTransaction({ ...sending, version: 0 }, chain.blockhash())));
  chain.slot();
  tick();
  for (const signature of sent) {
    const result = chain.resultOf(signature);
    if (result === null) continue;
    throw new TidepoolError('devnet_setup', `${signature} of the market's set-up: ${JSON.stringify(result)}`);
  }
}

/** As few transactions of one signer as hold these instructions in their order. */
function packed(payer: SeededKey, instructions: readonly Instruction[]): Sending[] {
  const sendings: Sending[] = [];
  let open: Instruction[] = [];
  const sending = (list: Instruction[]): Sending => ({ payer, signers: [], instructions: list });
  for (const instruction of instructions) {
    const wire = signTransaction({ ...sending([...open, instruction]), version: 0 }, LOADER);
    if (wire.length > MAX_WIRE_BYTES || open.length >= 12) {
      sendings.push(sending(open));
      open = [];
    }
    open.push(instruction);
  }
  return open.length > 0 ? [...sendings, sending(open)] : sendings;
}

function firstEdits(listing: MarketListing): Edit[] {
  const { deployer, tokens } = listing;
  const programs = [
    [AMM, 'amm'],
    [LOCAL_LAUNCHPAD_ID, 'launchpad'],
    [SWAP, 'swap'],
  ] as const;
  return [
    ...programs.flatMap(([program, name]): Edit[] => {
      const code = executable(name);
      const data = programData(code, deployer.id);
      return [
        { kind: 'program', address: base58(program), code },
        accountEdit(programDataId(program), UPGRADEABLE_LOADER, data),
      ];
    }),
    ...tokens
      .filter(({ key }) => key === null)
      .map((token) => accountEdit(token.id, token.program, fixedMint(token, deployer.id))),
    ...tokens
      .filter(({ plan }) => !plan.token2022)
      .map(({ id, plan: { name, symbol } }) => metadataEdit(id, deployer.id, { name, symbol, uri: uriOf(symbol) })),
  ];
}

function accountEdit(id: Hex, owner: Hex, data: Uint8Array): Edit {
  const account: ChainAccount = {
    lamports: rent(data.length),
    owner: base58(owner),
    data: new Uint8Array(data),
    executable: false,
    rentEpoch: 0xffff_ffff_ffff_ffffn,
  };
  return { kind: 'account', address: base58(id), account };
}

export const metadataEdit = (mint: Hex, authority: Hex, texts: { name: string; symbol: string; uri: string }): Edit =>
  accountEdit(metadataId(mint), METADATA_PROGRAM, metadataBytes(mint, authority, texts));

/** The bytes of a mint with nothing minted. */
function fixedMint({ plan, decimals }: ListedToken, authority: Hex): Uint8Array {
  const someone = (kept: boolean): Buffer =>
    Buffer.concat([u32(kept ? 1 : 0), kept ? bufferOf(authority) : Buffer.alloc(32)]);
  return Buffer.concat([
    someone(plan.mintAuthority !== 'renounced'),
    u64(0n),
    Uint8Array.of(decimals, 1),
    someone(plan.freezeAuthority === 'kept'),
  ]);
}

function programSetup({ deployer }: MarketListing): Instruction[] {
  return [
    initLaunchpad(LOCAL_LAUNCHPAD_ID, deployer.id, AMM),
    initConfig(SWAP, deployer.id, null, MAX_FEE_BPS),
    addRow(SWAP, deployer.id, { program: AMM, kind: 'pool', live: true }),
    addRow(SWAP, deployer.id, { program: LOCAL_LAUNCHPAD_ID, kind: 'curve', live: true }),
  ];
}

/** Bytes of Token-2022's extensions: head, pointer to metadata, fee of transfers, metadata. */
const EXTENDED_BYTES = 166;
const POINTER_BYTES = 68;
const FEE_BYTES = 112;
const METADATA_BYTES = 84;

function mintCreation(deployer: SeededKey, token: ListedToken): Sending {
  const { plan, id, program } = token;
  const freeze = plan.freezeAuthority === 'kept' ? deployer.id : null;
  const key = token.key as SeededKey;
  if (!plan.token2022) {
    const create = createAccount(deployer.id, id, rent(MINT_BYTES), MINT_BYTES, program);
    return { payer: deployer, signers: [key], instructions: [create, initializeMint(token, deployer.id, freeze)] };
  }
  const texts = { name: plan.name, symbol: plan.symbol, uri: uriOf(plan.symbol) };
  const { transferFeeBps } = plan.token2022;
  const bytes = EXTENDED_BYTES + POINTER_BYTES + (transferFeeBps > 0 ? FEE_BYTES : 0);
  const written = Object.values(texts).reduce((sum, text) => sum + text.length, METADATA_BYTES);
  const most = 10n ** BigInt(token.decimals + 3);
  return {
    payer: deployer,
    signers: [key],
    instructions: [
      createAccount(deployer.id, id, rent(bytes + written), bytes, TOKEN_2022),
      pointToOwnMetadata(id, deployer.id),
      ...(transferFeeBps > 0 ? [takeTransferFee(id, deployer.id, transferFeeBps, most)] : []),
      initializeMint(token, deployer.id, freeze),
      writeOwnMetadata(id, deployer.id, texts),
    ],
  };
}

/** What every wallet holds at the start. */
function holdings({ deployer, wallets, tokens }: MarketListing, random: SeededRandom): Instruction[] {
  const wrapped = tokens.find(({ id }) => id === WRAPPED_MINT) as ListedToken;
  const pay = (owner: SeededKey, lamports: bigint): Instruction[] => {
    const account = associated(owner.id, wrapped);
    return [
      createAssociated(deployer.id, owner.id, wrapped),
      transferLamports(deployer.id, account, lamports),
      syncNative(account),
    ];
  };
  const depth = (symbol: string): number =>
    POOLS.filter(({ pair }) => pair.includes(symbol)).reduce((sum, { depthUsd }) => sum + depthUsd, 0);
  const minted = tokens
    .filter((each) => each !== wrapped)
    .flatMap((each) => {
      const { usd, symbol } = each.plan;
      const give = (owner: Hex, worth: number): Instruction[] => [
        createAssociated(deployer.id, owner, each),
        mintTo(each, associated(owner, each), deployer.id, unitsWorth(worth, usd, each.decimals)),
      ];
      return [
        ...give(deployer.id, TREASURY_USD + 1.01 * depth(symbol)),
        ...wallets.flatMap(({ id }) => give(id, 15_000 * 12 ** random.next())),
      ];
    });
  const coins = unitsWorth(TREASURY_USD + 1.01 * depth('SOL'), wrapped.plan.usd, wrapped.decimals);
  return [
    ...pay(deployer, coins),
    ...wallets.flatMap((wallet) => [
      transferLamports(deployer.id, wallet.id, WALLET_LAMPORTS),
      ...pay(wallet, WRAPPED_LAMPORTS),
    ]),
    ...minted,
  ];
}

function poolCreation(listing: MarketListing, keys: PoolKeys, plan: (typeof POOLS)[number]): Sending {
  const { deployer } = listing;
  const [a, b] = plan.pair.map((symbol) => listing.token(symbol)).sort((x, y) => (x.id < y.id ? -1 : 1)) as [
    ListedToken,
    ListedToken,
  ];
  const amount = (token: ListedToken): bigint => unitsWorth(plan.depthUsd, token.plan.usd, token.decimals);
  const shares = { id: keys.shareMint, program: a.program };
  const at = {
    user: deployer.id,
    userA: associated(deployer.id, a),
    userB: associated(deployer.id, b),
    userShares: associated(deployer.id, shares),
  };
  return {
    payer: deployer,
    signers: [],
    instructions: [
      initPool(AMM, deployer.id, keys),
      createAssociated(deployer.id, deployer.id, shares),
      addLiquidity(AMM, keys, at, amount(a), amount(b), 1n),
    ],
  };
}

const renounced = ({ deployer, tokens }: MarketListing): Instruction[] =>
  tokens
    .filter(({ plan, key }) => key !== null && plan.mintAuthority === 'renounced')
    .map((token) => renounceMinting(token, deployer.id));
