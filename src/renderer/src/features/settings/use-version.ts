import { useQuery } from '@tanstack/react-query';
import { healthQuery } from '../../api/queries.ts';
import { strings } from '../../strings.ts';

/** The version of the server. */
export const useVersion = (): string => useQuery(healthQuery()).data?.version ?? strings.api.unknown;
