import type { Answer } from '../../data/answers.ts';

export type AgentProfile = Answer<'agents.get'>['data'];
