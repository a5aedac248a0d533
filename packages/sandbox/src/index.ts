export type { ProviderRequest, ProviderResponse } from './identity-provider/exchange.ts';
export { InvalidPersonError, type PersonInput } from './identity-provider/person.ts';
export {
  createDevelopmentIdentityProvider,
  type DevelopmentIdentityProvider,
  type DevelopmentIdentityProviderOptions,
} from './identity-provider/provider.ts';
