import { createContext, useContext } from 'react';
import type { SiteFacts } from '../site.ts';

export const FactsContext = createContext<SiteFacts | undefined>(undefined);

export function useFacts(): SiteFacts {
  const facts = useContext(FactsContext);
  if (facts === undefined) throw new Error('useFacts needs a FactsContext above it');
  return facts;
}
