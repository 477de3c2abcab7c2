process SUFSORT_BUILD {
    tag "$meta.id"
    label 'process_high_memory'

    conda "${moduleDir}/environment.yml"
    // Images of packaging/container, under the names that they have here: no registry has them yet.
    container "${ task.accelerator ? params.ordo_cuda_container ?: 'ordo-cuda' : params.ordo_container ?: 'ordo' }"

    input:
    tuple val(meta), path(fasta, stageAs: "in/*")

    output:
    tuple val(meta), path("${prefix}.*"), emit: index
    tuple val("${task.process}"), val('sufsort'), eval("sufsort --version | sed -n '1s/.* //p'"), topic: versions, emit: versions_sufsort

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: "${meta.id}"
    def device = task.accelerator ? 'gpu' : 'cpu'
    """
    sufsort build \\
        $args \\
        --device=$device \\
        --threads=$task.cpus \\
        --memory=${task.memory.toMega()}M \\
        -o $prefix \\
        $fasta
    """

    stub:
    prefix = task.ext.prefix ?: "${meta.id}"
    """
    touch ${prefix}.json ${prefix}.sa
    """
}
