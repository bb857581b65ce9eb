import type { ChainAccount } from './chain-types.js';
import type { LocalSolana } from './local-solana.js';
import type { Methods } from './rpc-context.js';
import { invalidParams, SolanaRpcError } from './rpc-errors.js';
import { addressAt, asAddress, asInteger, configAt, flag, integerAt, optionalInteger, textAt } from './rpc-params.js';

/** The chain's owner over JSON-RPC: what LocalSolana does in process, for a chain that runs in another process. */
export type Control = Pick<LocalSolana, 'slot' | 'skip' | 'fork' | 'deploy' | 'setAccount' | 'pause' | 'resume'>;

export function controlMethods(control: Control): Methods {
  return {
    devnet_slot: () => control.slot(),
    devnet_skip: (params) => control.skip(params[0] === undefined ? 1 : integerAt(params, 0)) ?? null,
    devnet_fork: (params) => {
      const config = configAt(params, 1);
      const drop = config.drop === undefined ? {} : { drop: share(config.drop) };
      try {
        return control.fork(integerAt(params, 0), { ...drop, sameSlots: flag(config, 'sameSlots') });
      } catch (error) {
        if ((error as { code?: unknown }).code === 'devnet_fork') throw invalidParams((error as Error).message);
        throw error;
      }
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
    devnet_ping: (params) => optionalInteger(params[0]),
  };
}

function lamports(value: unknown): bigint {
  if (typeof value === 'string' && /^\d{1,20}$/.test(value)) return BigInt(value);
  return BigInt(asInteger(value));
}

function share(value: unknown): number {
  if (typeof value === 'number' && value >= 0 && value <= 1) return value;
  throw new SolanaRpcError(-32602, '`drop` is a number from 0 to 1');
}

function bytesAt(params: readonly unknown[], index: number): Uint8Array {
  return new Uint8Array(Buffer.from(textAt(params, index, 'base64'), 'base64'));
}
