/**
 * How to call a payable address, in the `bazaar` extension: an example and its schema. The official builder needs twice the bytes, and
 * clients send them back with their payment.
 */
export interface CallDeclaration {
  readonly method: 'GET' | 'POST';
  readonly example: Readonly<Record<string, unknown>>;
  readonly fields: Readonly<Record<string, { readonly type: string; readonly enum?: readonly string[] }>>;
  readonly required: readonly string[];
  /** An example of the answer. */
  readonly output: Readonly<Record<string, string>>;
}

/** The schema leaves out what the extension itself fixes: that it is HTTP, and the method. */
export function declareCall({ method, example, fields, required, output }: CallDeclaration): Readonly<Record<string, unknown>> {
  const carrier = method === 'GET' ? 'queryParams' : 'body';
  const parameters = { type: 'object', properties: Object.fromEntries(Object.entries(fields).map(shortened)), required };
  return {
    bazaar: {
      info: {
        input: { type: 'http', method, ...(method === 'POST' && { bodyType: 'json' }), [carrier]: example },
        output: { type: 'json', example: output },
      },
      schema: {
        type: 'object',
        properties: {
          input: { type: 'object', properties: { [carrier]: parameters }, required: [carrier] },
          output: { type: 'object', properties: { example: { type: 'object' } } },
        },
        required: ['input'],
      },
    },
  };
}

/** Leaves out the descriptions of fields, which the OpenAPI documents have. */
function shortened([name, { type, enum: values }]: [string, CallDeclaration['fields'][string]]): [string, object] {
  return [name, values === undefined ? { type } : { enum: values }];
}
