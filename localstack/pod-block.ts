/**
 * The addresses of pods: a part of the seeded VPC with a subnet of its own, as the Amazon VPC CNI has it.
 * https://docs.aws.amazon.com/eks/latest/userguide/cni-custom-network.html
 */
export const POD_BLOCK = '10.87.128.0/17';
