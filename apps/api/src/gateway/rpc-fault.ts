import { TidepoolError } from '#libs/core/errors.js';

/** Codes of JSON-RPC 2.0, and those of our own among the ones it leaves to servers. */
export const rpcCodes = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  /** No node answered, or what one answered cannot be passed on. */
  internal: -32603,
  /** Every node is over its limit. */
  limited: -32005,
  /** DAS: no source knows the asset. */
  unknownAsset: -32000,
} as const;

/** An error object of JSON-RPC that a client gets, with HTTP 200. */
export class RpcFault extends TidepoolError {
  constructor(
    readonly rpcCode: number,
    message: string,
  ) {
    super('rpc_fault', message);
  }

  get json(): string {
    return JSON.stringify({ code: this.rpcCode, message: this.message });
  }
}

export const methodNotFound = (message: string): RpcFault => new RpcFault(rpcCodes.methodNotFound, message);
export const invalidParams = (message: string): RpcFault => new RpcFault(rpcCodes.invalidParams, message);
export const internalFault = (message: string): RpcFault => new RpcFault(rpcCodes.internal, message);

/** A name that a client sent, fit for a message. */
export const shown = (name: string): string => JSON.stringify(name.length > 64 ? `${name.slice(0, 64)}…` : name);
