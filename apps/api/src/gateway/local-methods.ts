import type { JsonObject, JsonValue } from '#libs/serve/http/json-body.js';

/** Answers one method from this instance's own data: JSON text of the result, or an RpcFault. */
export type LocalMethod = (chain: string, params: JsonValue[] | JsonObject) => Promise<string>;

/** Methods that no node is asked for. */
export class LocalMethods {
  constructor(private readonly methods: ReadonlyMap<string, LocalMethod>) {}

  find(method: string): LocalMethod | null {
    return this.methods.get(method) ?? null;
  }
}
