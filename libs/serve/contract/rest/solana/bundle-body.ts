import { optionalField, payload } from '../../schema/property.js';
import { flag, text, textList } from '../field.js';

export const transactionEncodings = ['base58', 'base64'] as const;

export class BundleRequest extends payload({
  transactions: textList(
    '1 to 5 signed transactions, in the order in which they are to run; at most 4 where none pays a tip.',
    {
      example:
        '4hXTCkRzt9WyecNzV1XPgCDfGAZzQKNxLXgynz5QDuWWPSAZBZSHptvWRL3BjCvzUXRdKvHL2b7yGrRQcWyaqsaBCncVG7BFggS8w9snUts67BSh3EqKpXLUm5UMHfD7ZBe9GhARjbNQMLJ1QD3Spr6oMTBU6EhdB4RD8CP2xUxr2u3d6fos36PD98XS6oX8TQjLpsMwncs5DAMiD4nNnR8NBfyghGCWvCVifVwvA8B8TJxE1aiyiv2L429BCWfyzAme5sZW8rDb14NeCQHhZbtNqfXhcp2tAnaAT',
    },
  ),
  encoding: optionalField<(typeof transactionEncodings)[number]>({
    type: 'string',
    enum: [...transactionEncodings],
    default: 'base58',
    description: 'How they are written.',
  }),
}) {}

export class BundleAnswer extends payload({
  success: flag<true>('True.', { enum: [true] }),
  bundle_id: text('Id under which the block engine knows the bundle.', {
    example: '2a7f3c8e6b1d4950a7c2e8f1b3d6094c5e7f8a1b2c3d4e5f60718293a4b5c6d7',
  }),
}) {}
