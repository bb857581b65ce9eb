import 'reflect-metadata';
import { Controller, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { ApiExtraModels, ApiResponse, ApiSecurity, ApiTags, DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { stringify } from 'yaml';
import { toOpenApi31 } from './to-openapi-31.js';

export interface DescribedOperation {
  id: string;
  /** null: the document itself. */
  answer: Type<object> | null;
  open?: boolean;
}

export interface DescribedListener<T extends DescribedOperation> {
  title: string;
  tag: string;
  description: string;
  servers: readonly string[];
  operations: readonly T[];
  /** Route, parameters and errors of an operation; its answer and its key are added. */
  decorators: (operation: T) => MethodDecorator[];
  /** Payload classes that no answer names by itself. */
  models: readonly Type<object>[];
}

/** The OpenAPI 3.1 document of one listener, as YAML, made from its payload classes. Version 1.0.0 on every listener. */
export async function openApiDocument<T extends DescribedOperation>(listener: DescribedListener<T>): Promise<string> {
  class DocumentModule {}
  Module({ controllers: [documentController(listener)] })(DocumentModule);
  const app = await NestFactory.create(DocumentModule, new FastifyAdapter(), { logger: false });
  try {
    const builder = new DocumentBuilder()
      .setTitle(listener.title)
      .setDescription(listener.description)
      .setVersion('1.0.0')
      .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
      .addApiKey({ type: 'apiKey', in: 'header', name: 'x-api-key' }, 'header')
      .addBearerAuth({ type: 'http', scheme: 'bearer', bearerFormat: 'API key' }, 'bearer')
      .addApiKey({ type: 'apiKey', in: 'query', name: 'apiKey' }, 'query');
    for (const server of listener.servers) builder.addServer(server);
    const options = { operationIdFactory: (_controller: string, method: string) => method };
    return stringify(toOpenApi31(SwaggerModule.createDocument(app, builder.build(), options)), { lineWidth: 0 });
  } finally {
    await app.close();
  }
}

/** A controller that exists only to be described. */
function documentController<T extends DescribedOperation>(listener: DescribedListener<T>): Type<object> {
  class Described {}
  for (const operation of listener.operations) {
    Object.defineProperty(Described.prototype, operation.id, { value: () => undefined, configurable: true });
    const descriptor = Object.getOwnPropertyDescriptor(Described.prototype, operation.id)!;
    for (const decorate of [...listener.decorators(operation), ...common(operation)]) {
      decorate(Described.prototype, operation.id, descriptor);
    }
  }
  ApiExtraModels(...listener.models)(Described);
  ApiTags(listener.tag)(Described);
  Controller()(Described);
  return Described;
}

function common({ answer, open }: DescribedOperation): MethodDecorator[] {
  const yaml = { status: 200, description: 'OpenAPI 3.1, YAML.', content: { 'application/yaml': {} } };
  const keys = open ? [] : ['header', 'bearer', 'query'];
  return [
    ApiResponse(answer === null ? yaml : { status: 200, description: 'OK', type: answer }),
    ...keys.map((scheme) => ApiSecurity(scheme)),
  ];
}
