/** How to call a hire and what it returns, for x402 catalogues of versions 1 and 2. */
import { type CallDeclaration, declareCall } from './declare-call.ts';

type Method = 'GET' | 'POST';

const brief = { type: 'string', minLength: 1, maxLength: 3000, description: 'The work order, in your words' } as const;
const settlement = { type: 'string', enum: ['instant', 'on_approval'], description: 'When the provider is paid' } as const;

/** By query a hire takes text only; a body may also hold answers to the provider's questions. */
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

const exampleInput = { brief: 'A logo for a bakery.' };
const exampleOutput = { order_id: 'ord_1', status: 'paid', result_url: '/api/orders/ord_1' };

/** Version 2: `extensions` of the challenge. */
export function discoveryExtension(method: Method): Readonly<Record<string, unknown>> {
  return extensions[method];
}

function hireCall(method: Method): CallDeclaration {
  return { method, example: exampleInput, fields: hireInput[method].properties, required: ['brief'], output: exampleOutput };
}

const extensions: Record<Method, Readonly<Record<string, unknown>>> = {
  GET: declareCall(hireCall('GET')),
  POST: declareCall(hireCall('POST')),
};

const { brief: orderBrief, requirements, settlement: orderSettlement } = hireInput.POST.properties;
/** `POST /api/orders` names the service in the body and calls the answers `requirement_answers`. */
const orderNeeds = { service_id: { type: 'string' }, brief: orderBrief, requirement_answers: requirements };
const orderFields = { ...orderNeeds, settlement: orderSettlement };

/** Catalogues call the example, so it must be answered with 402. */
export function orderExtension(serviceId: string): Readonly<Record<string, unknown>> {
  return declareCall({
    ...hireCall('POST'),
    example: { service_id: serviceId, ...exampleInput },
    fields: orderNeeds,
    required: ['service_id', 'brief'],
  });
}

/** Version 1: `outputSchema` of each entry; despite its name it describes input and output. */
export function firstVersionSchema(method: Method): Readonly<Record<string, unknown>> {
  return describeCall(method, hireInput[method].properties, hireOutput);
}

export function describeCall(method: Method, fields: object, output: object): Readonly<Record<string, unknown>> {
  const parameters = method === 'GET' ? { queryParams: fields } : { bodyType: 'json', bodyFields: fields };
  return { input: { type: 'http', method, discoverable: true, ...parameters }, output };
}

export const orderFirstVersionSchema = describeCall('POST', orderFields, hireOutput);
