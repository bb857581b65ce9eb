import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';

/**
 * The parameters of a query class as the OpenAPI document lists them. Given the class itself, Nest's Swagger module drops
 * the lists of choices. Of a field with alternatives a query can carry the first.
 */
export function queryParameters(query: Type<object>): MethodDecorator[] {
  const names: unknown = Reflect.getMetadata('swagger/apiModelPropertiesArray', query.prototype);
  if (!Array.isArray(names) || names.length === 0) throw new Error(`${query.name} describes no parameters`);
  return (names as string[]).map((marked) => {
    const name = marked.replace(/^:/, '');
    const described = Reflect.getMetadata('swagger/apiModelProperties', query.prototype, name) as ParameterMetadata;
    const { oneOf, enum: choices, default: fallback, minimum, maximum, description, required } = described;
    const type = described.type ?? oneOf?.[0]?.type;
    const plainType = typeof type === 'function' ? type.name.toLowerCase() : (type ?? 'string');
    const schema = { type: plainType, enum: choices, default: fallback, minimum, maximum };
    return ApiQuery({ name, required: required ?? true, description, schema } as Parameters<typeof ApiQuery>[0]);
  });
}

interface ParameterMetadata {
  type?: string | { name: string };
  oneOf?: { type?: string }[];
  enum?: unknown[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  description?: string;
  required?: boolean;
}
