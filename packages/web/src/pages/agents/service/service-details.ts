import type { Answer } from '../../../data/answers.ts';

export type ServiceDetails = Answer<'services.bySlug'>['data'];
