/** Public API of services. */
import type { HandlersOf } from '../../access/call.ts';
import { createService } from './commands/create-service.ts';
import { deactivateService } from './commands/deactivate-service.ts';
import { updateService } from './commands/update-service.ts';
import { serviceFigures } from './figures-follower.ts';
import { presentService } from './present.ts';
import { offeredServices, serviceQueries } from './queries.ts';
import { findService, findServiceForBuyer, type ServiceRow } from './repository.ts';
import {
  findServicesById,
  holding,
  holdsWords,
  listFiltered,
  listNewlyListed,
  listPayable,
  type PayablePaging,
  type Period,
  type ServicePage,
} from './search-repository.ts';
import { wholeWords, wordQuery, wordsOf } from './search-words.ts';
import type { ServicesContext } from './services-context.ts';

export function serviceHandlers(context: ServicesContext): HandlersOf<'services'> {
  return {
    ...serviceQueries(context),
    create: createService(context),
    update: updateService(context),
    deactivate: deactivateService(context),
  };
}

/** Whether the service can be ordered now: only publicly offered services can. */
export function isHireable(service: ServiceRow): boolean {
  return service.listed;
}

export { answeringAgents, type FacetSource, facetCondition, facetConditions, isAnswering } from './facet-conditions-repository.ts';
export {
  findService,
  findServiceForBuyer,
  findServicesById,
  holding,
  holdsWords,
  listFiltered,
  listNewlyListed,
  listPayable,
  offeredServices,
  type PayablePaging,
  type Period,
  presentService,
  type ServicePage,
  type ServiceRow,
  serviceFigures,
  wholeWords,
  wordQuery,
  wordsOf,
};
