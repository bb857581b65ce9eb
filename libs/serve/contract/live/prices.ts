import { list } from '../rest/field.js';
import { PriceBody } from '../rest/token-list-body.js';
import { extendPayload } from '../schema/property.js';
import { DataFrame, frameType } from './frames.js';

export class PricesSnapshotFrame extends extendPayload(DataFrame, {
  type: frameType('snapshot'),
  data: list(() => PriceBody, 'In the order of the request; a token that no block named is left out. Replaces all.'),
}) {}

export class PricesFrame extends extendPayload(DataFrame, {
  type: frameType('prices'),
  data: list(() => PriceBody, 'The tokens whose price changed: put each in the place of the one with its address.'),
}) {}
