import { TidepoolError } from '#libs/core/errors.js';
import type { ChainAccount } from './chain-types.js';
import type { Method, Methods } from './rpc-context.js';
import { invalidParams, SolanaRpcError } from './rpc-errors.js';
import { addressAt, asAddress, asInteger, configAt, flag, integerAt, textAt } from './rpc-params.js';
import type { LocalSolana } from './running-solana.js';

/** The chain's owner over JSON-RPC: what LocalSolana does in process, for a chain that runs in another process. */
export type Control = Pick<LocalSolana, 'slot' | 'skip' | 'fork' | 'deploy' | 'setAccount' | 'pause' | 'resume'>;

const REFUSALS = new Set(['devnet_fork', 'devnet_skip', 'devnet_edit']);
const MAX_LAMPORTS = 0xffff_ffff_ffff_ffffn;

export function controlMethods(control: Control): Methods {
  const methods: Methods = {
    devnet_slot: () => control.slot(),
    devnet_skip: (params) => control.skip(params[0] === undefined ? 1 : integerAt(params, 0)) ?? null,
    devnet_fork: (params) => {
      const config = configAt(params, 1);
      const drop = config.drop === undefined ? {} : { drop: share(config.drop) };
      return control.fork(integerAt(params, 0), { ...drop, sameSlots: flag(config, 'sameSlots') });
    },
    devnet_deploy: (params) => {
      control.deploy(addressAt(params, 0), bytesAt(params, 1));
      return null;
    },
    devnet_setAccount: (params) => {
      const config = configAt(params, 1);
      const account: ChainAccount = {
        lamports: lamports(config.lamports),
        owner: asAddress(config.owner),
        data: bytesAt([config.data ?? ''], 0),
        executable: flag(config, 'executable'),
        rentEpoch: 0xffff_ffff_ffff_ffffn,
      };
      control.setAccount(addressAt(params, 0), account);
      return null;
    },
    devnet_pause: () => control.pause() ?? null,
    devnet_resume: () => control.resume() ?? null,
  };
  return Object.fromEntries(Object.entries(methods).map(([name, method]) => [name, refusing(method)]));
}

/** What the chain refuses is the caller's mistake. */
function refusing(method: Method): Method {
  return (params) => {
    try {
      return method(params);
    } catch (error) {
      if (error instanceof TidepoolError && REFUSALS.has(error.code)) throw invalidParams(error.message);
      throw error;
    }
  };
}

function lamports(value: unknown): bigint {
  if (typeof value === 'string' && /^\d{1,20}$/.test(value) && BigInt(value) <= MAX_LAMPORTS) return BigInt(value);
  return BigInt(asInteger(value));
}

function share(value: unknown): number {
  if (typeof value === 'number' && value >= 0 && value <= 1) return value;
  throw new SolanaRpcError(-32602, '`drop` is a number from 0 to 1');
}

function bytesAt(params: readonly unknown[], index: number): Uint8Array {
  return new Uint8Array(Buffer.from(textAt(params, index, 'base64'), 'base64'));
}
