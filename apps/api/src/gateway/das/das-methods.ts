import type { Provider } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { CursorSigner } from '#libs/core/cursor.js';
import { jsonText } from '#libs/core/exact-json.js';
import { type JsonValue } from '#libs/serve/http/json-body.js';
import { HttpProblem } from '#libs/serve/http/problem.js';
import { ChainAccess, problemOf } from '../../access/chain-access.js';
import { MarketLists } from '../../market/market-lists.js';
import { type LocalMethod, LocalMethods } from '../local-methods.js';
import { internalFault, invalidParams, RpcFault, rpcCodes } from '../rpc-fault.js';
import { DasParams } from './das-params.js';
import { DasReads } from './das-reads.js';

type Read = (chain: string, params: DasParams) => Promise<JsonValue>;

const paging = ['page', 'limit', 'cursor'];

/** By name: the order of parameters that come as a list, and what answers. */
function methodsOf(das: DasReads): Record<string, { names: readonly string[]; read: Read }> {
  const batch = { names: ['ids'], read: ((chain, params) => das.batch(chain, params)) as Read };
  const signatures = { names: ['id', ...paging], read: ((chain, params) => das.signatures(chain, params)) as Read };
  return {
    getAsset: { names: ['id'], read: (chain, params) => das.asset(chain, params) },
    getAssetBatch: batch,
    getAssets: batch,
    getAssetsByOwner: { names: ['ownerAddress', ...paging], read: (chain, params) => das.byOwner(chain, params) },
    getAssetsByCreator: {
      names: ['creatorAddress', ...paging],
      read: (chain, params) => das.byCreator(chain, params, 'creatorAddress'),
    },
    getAssetsByAuthority: {
      names: ['authorityAddress', ...paging],
      read: (chain, params) => das.byCreator(chain, params, 'authorityAddress'),
    },
    getAssetsByGroup: {
      names: ['groupKey', 'groupValue', ...paging],
      read: (chain, params) => das.byGroup(chain, params),
    },
    searchAssets: { names: [], read: (chain, params) => das.search(chain, params) },
    getAssetSignatures: signatures,
    getSignaturesForAsset: signatures,
  };
}

/** Failures of the reads in the words of JSON-RPC. */
function faultOf(error: unknown): unknown {
  if (error instanceof RpcFault) return error;
  const problem = error instanceof HttpProblem ? error : problemOf(error);
  if (problem === null) return error;
  if (problem.status === 404) return new RpcFault(rpcCodes.unknownAsset, problem.message);
  return problem.status < 500 ? invalidParams(problem.message) : internalFault(problem.message);
}

export function createDasMethods(das: DasReads): LocalMethods {
  const methods = Object.entries(methodsOf(das)).map(([name, { names, read }]): [string, LocalMethod] => [
    name,
    async (chain, params) => {
      try {
        return jsonText(await read(chain, new DasParams(params, names)));
      } catch (error) {
        throw faultOf(error);
      }
    },
  ]);
  return new LocalMethods(new Map(methods));
}

/** DAS: what is known of tokens here, in the shapes of the digital asset standard. */
export const dasMethods: Provider<LocalMethods> = {
  provide: LocalMethods,
  inject: [ChainAccess, CursorSigner, ModuleRef],
  useFactory: (access: ChainAccess, signer: CursorSigner, modules: ModuleRef) =>
    createDasMethods(new DasReads(access, signer, () => modules.get(MarketLists, { strict: false }))),
};
