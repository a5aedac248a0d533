import { defineErrors } from '../../kernel/errors.ts';
import { savedSearchLimits } from './limits.ts';

export const savedSearchErrors = defineErrors({
  saved_search_not_found: { kind: 'not_found', message: 'You have no such saved search.' },
  too_many_saved_searches: {
    kind: 'bad_request',
    message: `You have ${savedSearchLimits.perOwner} saved searches already. Remove one first.`,
  },
});
