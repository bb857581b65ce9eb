import type { Hex } from '#libs/core/ids.js';
import {
  ASSOCIATED_PROGRAM,
  associatedId,
  bufferOf,
  derive,
  type Instruction,
  idOf,
  reads,
  SYSTEM_PROGRAM,
  signs,
  u8,
  u64,
  writes,
} from '#programs/client.js';
import type { NamedToken } from '../../ports.js';
import { borshText } from '../borsh-text.js';

/** Instructions of pump.fun's program, as its published IDL lays them out: a token of Token-2022, quoted in SOL. */
const PUMP_FUN = idOf('6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P');
export const TOKEN_2022 = idOf('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb');
const MAYHEM = idOf('MAyhSmzXzV1pTf7LsNkrNwkWKTo4ougAJ1PPg47MD4e');
/** Derived by that program, the same for every token. */
const MAYHEM_VAULT = idOf('BwWK17cbHxwWBKZkUYvzxLcNQ1YVyaFezduWbtm2de6s');
const FEES = idOf('pfeeUxB6jkeY1Hxd7CsFCAjcbHA9rWtchMGdZ6VojVZ');
/** Wallets of pump.fun that take the fee of a trade, and its share for buybacks: any of its list may be named. */
const FEE_RECIPIENT = idOf('62qc2CNXwrYqQScmEdiZFFAnJR262PxWEuNQtxfafNgV');
const BUYBACK_RECIPIENT = idOf('5YxQFdt3Tr9zJLvkFccqXVUwhdTWJQc1fFg2YPbxvxeD');
const CREATE_V2 = Buffer.from('d6904cec5f8b31b4', 'hex');
const BUY_EXACT_SOL_IN = Buffer.from('38fc74089edfcd5f', 'hex');

const at = (program: Hex, word: string, ...ids: readonly Hex[]): Hex =>
  derive(program, Buffer.from(word), ...ids.map(bufferOf)).id;

export const curveOf = (mint: Hex): Hex => at(PUMP_FUN, 'bonding-curve', mint);

export interface PumpFunToken extends NamedToken {
  readonly mint: Hex;
}

/** Makes the mint and its curve; the creator pays, and the mint's key signs. */
export function createV2({ mint, creator, name, symbol, uri }: PumpFunToken): Instruction {
  const curve = curveOf(mint);
  return {
    program: PUMP_FUN,
    accounts: [
      signs(mint, true),
      reads(at(PUMP_FUN, 'mint-authority')),
      writes(curve),
      writes(associatedId(curve, mint, TOKEN_2022)),
      reads(at(PUMP_FUN, 'global')),
      signs(creator, true),
      reads(SYSTEM_PROGRAM),
      reads(TOKEN_2022),
      reads(ASSOCIATED_PROGRAM),
      writes(MAYHEM),
      reads(at(MAYHEM, 'global-params')),
      writes(MAYHEM_VAULT),
      writes(at(MAYHEM, 'mayhem-state', mint)),
      writes(associatedId(MAYHEM_VAULT, mint, TOKEN_2022)),
      reads(at(PUMP_FUN, '__event_authority')),
      reads(PUMP_FUN),
    ],
    // No mayhem mode, no cashback, no fee of the creator's own, no rewards of holders.
    data: Buffer.concat([
      CREATE_V2,
      borshText(name),
      borshText(symbol),
      borshText(uri),
      bufferOf(creator),
      Buffer.alloc(11),
    ]),
  };
}

export interface PumpFunBuy {
  readonly mint: Hex;
  readonly creator: Hex;
  readonly user: Hex;
  readonly lamports: bigint;
  readonly leastTokens: bigint;
}

/** Spends so many lamports, fees included, on the curve. */
export function buyExactSolIn({ mint, creator, user, lamports, leastTokens }: PumpFunBuy): Instruction {
  const curve = curveOf(mint);
  return {
    program: PUMP_FUN,
    accounts: [
      reads(at(PUMP_FUN, 'global')),
      writes(FEE_RECIPIENT),
      reads(mint),
      writes(curve),
      writes(associatedId(curve, mint, TOKEN_2022)),
      writes(associatedId(user, mint, TOKEN_2022)),
      signs(user, true),
      reads(SYSTEM_PROGRAM),
      reads(TOKEN_2022),
      writes(at(PUMP_FUN, 'creator-vault', creator)),
      reads(at(PUMP_FUN, '__event_authority')),
      reads(PUMP_FUN),
      reads(at(PUMP_FUN, 'global_volume_accumulator')),
      writes(at(PUMP_FUN, 'user_volume_accumulator', user)),
      reads(at(FEES, 'fee_config', PUMP_FUN)),
      reads(FEES),
      reads(at(PUMP_FUN, 'bonding-curve-v2', mint)),
      writes(BUYBACK_RECIPIENT),
    ],
    // The trade counts for the volume of its user.
    data: Buffer.concat([BUY_EXACT_SOL_IN, u64(lamports), u64(leastTokens), u8(1)]),
  };
}
