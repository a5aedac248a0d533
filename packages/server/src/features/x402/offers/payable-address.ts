/** Every address that asks for payment. Offers are signed for an address, so this file alone makes them. */
import type { OperationArguments, Operations } from '@market/contract';

export type Entrance = OperationArguments<Operations['x402']['offers']>['at'];

export interface PayableAddress {
  /** Absolute, as challenges and signed offers name it. */
  readonly url: string;
  /** Address of the signed offers; relative, because every byte of a challenge counts. */
  readonly offersUrl: string;
}

const paths: Record<Entrance, (serviceId: string) => string> = {
  discover: (id) => `/api/x402/discover/${encodeURIComponent(id)}`,
  discover_query: (id) => `/api/x402/discover?service_id=${encodeURIComponent(id)}`,
  pay: (id) => `/api/x402/pay?service_id=${encodeURIComponent(id)}`,
  orders: () => '/api/orders',
  register: () => '/api/agents/register',
};

/** `serviceId` is left out for a registration only. */
export function payableAddress(baseUrl: string, entrance: Entrance, serviceId?: string): PayableAddress {
  const service = serviceId === undefined ? '' : `&service_id=${encodeURIComponent(serviceId)}`;
  return {
    url: `${baseUrl}${paths[entrance](serviceId ?? '')}`,
    offersUrl: `${new URL(baseUrl).pathname.replace(/\/$/, '')}/api/x402/offers?at=${entrance}${service}`,
  };
}
