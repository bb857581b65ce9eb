import { JsonNumber } from '#libs/core/exact-json.js';
import { isJsonObject, type JsonObject, type JsonValue } from '#libs/serve/http/json-body.js';
import { invalidParams } from '../rpc-fault.js';
import { type AssetOrder, orderNames } from './asset-order.js';

/** Most items of a page, and how many there are without a limit. */
const MOST_ITEMS = 1_000;
const USUAL_ITEMS = 100;
const LONGEST_TEXT = 200;
/** Pages by number are read from the first item on: further ones have to be asked for by cursor. */
const FURTHEST = 10_000;

/** Where a page begins: after `offset` items, or where a cursor says. */
export type DasPage = { readonly limit: number; readonly page: number } & (
  | { readonly cursor: string }
  | { readonly cursor?: undefined; readonly offset: number }
);

/** Parameters of a DAS method by name: DAS sends one object; a list holds it, or the values in the order of `names`. */
export class DasParams {
  private readonly named: JsonObject;

  constructor(params: JsonValue[] | JsonObject, names: readonly string[]) {
    if (!Array.isArray(params)) this.named = params;
    else if (isJsonObject(params[0])) this.named = params[0];
    else {
      this.named = Object.create(null) as JsonObject;
      for (const [index, value] of params.entries()) {
        const name = names[index];
        if (name === undefined) throw invalidParams(`params: one object with ${names.join(', ') || 'the parameters'}`);
        this.named[name] = value;
      }
    }
  }

  text(name: string): string {
    const value = this.optionalText(name);
    if (value === null) throw invalidParams(`${name} is required: text`);
    return value;
  }

  optionalText(name: string): string | null {
    const value = this.named[name];
    if (value === undefined || value === null) return null;
    if (typeof value !== 'string' || value === '' || value.length > LONGEST_TEXT) {
      throw invalidParams(`${name} must be text of 1 to ${LONGEST_TEXT} characters`);
    }
    return value;
  }

  texts(name: string): string[] {
    const value = this.named[name];
    const right = Array.isArray(value) && value.length >= 1 && value.length <= MOST_ITEMS;
    if (!right || !value.every((each) => typeof each === 'string')) {
      throw invalidParams(`${name} must be a list of 1 to ${MOST_ITEMS} texts`);
    }
    return value as string[];
  }

  /** Whether fungible tokens are wanted: they are unless the caller says otherwise. */
  get fungible(): boolean {
    for (const name of ['displayOptions', 'options']) {
      const options = this.named[name];
      if (options === undefined || options === null) continue;
      if (!isJsonObject(options)) throw invalidParams(`${name} must be an object`);
      if (options.showFungible === false) return false;
    }
    const type = this.optionalText('tokenType');
    return type === null || ['fungible', 'all'].includes(type);
  }

  /** How a list is ordered: null for the order that it has by itself. Without a direction the last comes first, as DAS has it. */
  order(): AssetOrder | null {
    const asked = this.named.sortBy;
    if (asked === undefined || asked === null) return null;
    if (!isJsonObject(asked)) throw invalidParams('sortBy must be an object with sortBy and sortDirection');
    const { sortBy, sortDirection } = asked;
    if (typeof sortBy !== 'string' || !Object.hasOwn(orderNames, sortBy)) {
      throw invalidParams(`sortBy.sortBy must be one of ${Object.keys(orderNames).join(', ')}`);
    }
    const ascending = ascends('sortBy.sortDirection', sortDirection);
    const by = orderNames[sortBy]!;
    return by === null ? null : { by, ascending };
  }

  /** A list that has one order is asked for in no other. */
  newestFirst(what: string): void {
    const order = this.order();
    const other = order !== null && (order.ascending || order.by === 'id') ? 'sortBy' : null;
    const field = ascends('sortDirection', this.named.sortDirection) ? 'sortDirection' : other;
    if (field !== null) throw invalidParams(`${field}: ${what} come newest first only`);
  }

  get page(): DasPage {
    const limit = this.whole('limit', 1, MOST_ITEMS) ?? USUAL_ITEMS;
    const page = this.whole('page', 1, Number.MAX_SAFE_INTEGER);
    const cursor = this.cursor;
    for (const name of ['before', 'after']) {
      const value = this.named[name];
      if (value !== undefined && value !== null && value !== '') {
        throw invalidParams(`${name} is not supported: go on with the cursor of the page before`);
      }
    }
    if (cursor !== null) {
      if (page !== null) throw invalidParams('page and cursor exclude each other');
      return { limit, page: 1, cursor };
    }
    const offset = ((page ?? 1) - 1) * limit;
    if (offset > FURTHEST) throw invalidParams(`page: go on by cursor after the first ${FURTHEST} items`);
    return { limit, page: page ?? 1, offset };
  }

  private get cursor(): string | null {
    const value = this.named.cursor;
    if (value === undefined || value === null) return null;
    if (typeof value !== 'string' || value === '') throw invalidParams('cursor must be the cursor of a page');
    return value;
  }

  private whole(name: string, least: number, most: number): number | null {
    const value = this.named[name];
    if (value === undefined || value === null) return null;
    const number = value instanceof JsonNumber ? value.integer : null;
    if (number === null || number < BigInt(least) || number > BigInt(most)) {
      const bound = most === Number.MAX_SAFE_INTEGER ? `from ${least}` : `from ${least} to ${most}`;
      throw invalidParams(`${name} must be a whole number ${bound}`);
    }
    return Number(number);
  }
}

function ascends(name: string, direction: JsonValue | undefined): boolean {
  if (direction === undefined || direction === null || direction === 'desc') return false;
  if (direction === 'asc') return true;
  throw invalidParams(`${name} must be asc or desc`);
}
