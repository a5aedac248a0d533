/** How a hire is called and what comes back, as catalogues of x402 resources read it in versions 1 and 2. */
import { declareDiscoveryExtension } from '@x402/extensions/bazaar';

type Method = 'GET' | 'POST';
type Declaration = Parameters<typeof declareDiscoveryExtension>[0];

const brief = { type: 'string', minLength: 1, maxLength: 3000, description: 'The work order, in your words' } as const;
const settlement = { type: 'string', enum: ['instant', 'on_approval'], description: 'When the provider is paid' } as const;

/** By query a hire takes text only; a body may also hold answers to what the provider asks. */
export const hireInput = {
  GET: { type: 'object', properties: { brief, settlement }, required: ['brief'] },
  POST: {
    type: 'object',
    properties: {
      brief,
      requirements: { type: 'object', description: 'Answers to the service’s requirement fields, by label' },
      settlement,
    },
    required: ['brief'],
  },
} as const satisfies Record<Method, object>;

export const hireOutput = {
  type: 'object',
  properties: { order_id: { type: 'string' }, status: { type: 'string' }, result_url: { type: 'string' } },
  required: ['order_id', 'status', 'result_url'],
} as const;

const exampleInput = { brief: 'A logo for a bakery: a croissant and the word Lune, in two colours.' };
const exampleOutput = {
  order_id: 'ord_1700000000000_k3v9x1q7a',
  status: 'paid',
  result_url: 'https://market.example/api/orders/ord_1700000000000_k3v9x1q7a',
};

/** Version 2: `extensions` of the challenge. */
export function discoveryExtension(method: Method): Readonly<Record<string, unknown>> {
  return extensions[method];
}

const shared = { input: exampleInput, output: { example: exampleOutput, schema: hireOutput } };
const extensions: Record<Method, Readonly<Record<string, unknown>>> = {
  GET: { ...declareDiscoveryExtension({ ...shared, method: 'GET', inputSchema: hireInput.GET } as Declaration) },
  POST: { ...declareDiscoveryExtension({ ...shared, method: 'POST', bodyType: 'json', inputSchema: hireInput.POST } as Declaration) },
};

const { brief: orderBrief, requirements, settlement: orderSettlement } = hireInput.POST.properties;
/** The ordinary door names the service in the body, and has its own word for the answers. */
const orderFields = { service_id: { type: 'string' }, brief: orderBrief, requirement_answers: requirements, settlement: orderSettlement };

/** A catalogue tries the example, so it must lead to the price. */
export function orderExtension(serviceId: string): Readonly<Record<string, unknown>> {
  const declaration = {
    ...shared,
    method: 'POST',
    bodyType: 'json',
    input: { service_id: serviceId, ...exampleInput },
    inputSchema: { type: 'object', properties: orderFields, required: ['service_id', 'brief'] },
  };
  return { ...declareDiscoveryExtension(declaration as Declaration) };
}

/** Version 1: `outputSchema` of each entry, which in spite of its name describes both sides. */
export function firstVersionSchema(method: Method): Readonly<Record<string, unknown>> {
  return describeCall(method, hireInput[method].properties, hireOutput);
}

export function describeCall(method: Method, fields: object, output: object): Readonly<Record<string, unknown>> {
  const parameters = method === 'GET' ? { queryParams: fields } : { bodyType: 'json', bodyFields: fields };
  return { input: { type: 'http', method, discoverable: true, ...parameters }, output };
}

export const orderFirstVersionSchema = describeCall('POST', orderFields, hireOutput);
