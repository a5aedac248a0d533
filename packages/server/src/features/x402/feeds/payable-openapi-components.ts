/** Components that all paths of the payable OpenAPI document share, to keep it small. */
import { namedOnlyNetworks, networkFacts, networkNames, orderDurations, type RequirementField } from '@market/contract';
import { hireInput, hireOutput } from '../offers/discovery-extension.ts';

type Section = 'parameters' | 'responses' | 'schemas';

export function referenceTo(section: Section, name: string): { readonly $ref: string } {
  return { $ref: `#/components/${section}/${name}` };
}

/** The prefix of each text that a seller wrote, for readers that see one field alone. */
export const SELLERS_TEXT = 'Seller’s text:';

export function sellersText(text: string): string {
  return text === '' ? text : `${SELLERS_TEXT} ${text}`;
}

/** The body of a paid POST. A service with requirement fields names them; answers replace a brief. */
export function hireBody(fields: readonly RequirementField[]): object {
  if (fields.length === 0) return referenceTo('schemas', 'Hire');
  const { brief, settlement } = hireInput.POST.properties;
  return {
    type: 'object',
    properties: { brief, requirements: answersSchema(fields), settlement },
    anyOf: [{ required: ['brief'] }, { required: ['requirements'] }],
  };
}

function answersSchema(fields: readonly RequirementField[]): object {
  const required = fields.filter((field) => field.required).map(({ label }) => label);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.label, answerSchema(field)])),
    additionalProperties: false,
    ...(required.length > 0 && { required }),
  };
}

function answerSchema({ type, options, placeholder }: RequirementField): object {
  const description = placeholder === undefined || placeholder === '' ? {} : { description: sellersText(placeholder) };
  if (type === 'number') return { type: 'number', ...description };
  if (type === 'select') return { type: 'string', enum: options ?? [], ...description };
  return { type: 'string', maxLength: 2000, ...(type === 'url' && { format: 'uri' }), ...description };
}

const { brief, settlement } = hireInput.GET.properties;
const chainWords = networkNames.map((name) => networkFacts[name].chain);
const text = { type: 'string' } as const;

function query(name: string, schema: object, description: string): object {
  return { name, in: 'query', required: false, description, schema };
}

function header(name: string, description: string): object {
  return { name, in: 'header', required: false, description, schema: text };
}

const challenge = {
  type: 'object',
  properties: {
    x402Version: { type: 'integer' },
    error: text,
    accepts: { type: 'array', minItems: 1, items: referenceTo('schemas', 'PaymentRequirement') },
  },
  required: ['x402Version', 'accepts'],
};

const requirement = {
  type: 'object',
  properties: {
    scheme: { const: 'exact' },
    network: { type: 'string', description: networkNames.join(', ') },
    asset: { type: 'object', properties: { currency: text, address: text }, required: ['currency', 'address'] },
    payTo: text,
    maxAmountRequired: { type: 'string', pattern: '^[0-9]+$', description: 'In millionths of a USDC' },
    description: text,
    resource: text,
    maxTimeoutSeconds: { type: 'integer' },
  },
  required: ['scheme', 'network', 'asset', 'payTo', 'maxAmountRequired'],
};

export const payableComponents = {
  parameters: {
    Brief: query('brief', brief, 'The work order, in your words. A paid call needs one, here or in X-Market-Brief'),
    Settlement: query(
      'settlement',
      settlement,
      `instant: the provider is paid at once; on_approval: when you approve, or after ${orderDurations.reviewHours} hours`,
    ),
    Chain: query('chain', text, `Network to offer first: ${chainWords.join(', ')}, or its CAIP-2 name. X-Payment-Network does the same`),
    X402Version: query('x402Version', { type: 'string', enum: ['1', '2'] }, '1: the body of a 402 in the strict form of version 1'),
    XPayment: header('X-PAYMENT', 'Reference of a USDC transfer, or an x402 payment of version 1'),
    PaymentSignature: header('PAYMENT-SIGNATURE', 'An x402 payment of version 2'),
    XPaymentNetwork: header(
      'X-Payment-Network',
      `Network to offer first, and of a transfer; needed for transfers on ${namedOnlyNetworks.join(', ')} only`,
    ),
    BriefHeader: header('X-Market-Brief', 'The brief, where neither query nor body holds it'),
  },
  responses: {
    Hired: {
      description: 'Payment accepted, order created',
      content: { 'application/json': { schema: referenceTo('schemas', 'Hired') } },
    },
    PaymentRequired: {
      description: 'Payment required: what to pay, in USDC',
      headers: { 'PAYMENT-REQUIRED': { description: 'The standard challenge of x402 version 2, in base64', schema: text } },
      content: { 'application/json': { schema: referenceTo('schemas', 'Challenge') } },
    },
  },
  schemas: { Hire: hireInput.POST, Hired: hireOutput, Challenge: challenge, PaymentRequirement: requirement },
};
