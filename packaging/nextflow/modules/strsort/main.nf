process STRSORT {
    tag "$meta.id"
    label 'process_medium'

    conda "${moduleDir}/environment.yml"
    // Images of packaging/container, under the names that they have here: no registry has them yet.
    container "${ task.accelerator ? params.ordo_cuda_container ?: 'ordo-cuda' : params.ordo_container ?: 'ordo' }"

    input:
    tuple val(meta), path(lines, stageAs: "in/*")
    val suffix

    output:
    tuple val(meta), path("${prefix}.${suffix}"), emit: sorted
    tuple val("${task.process}"), val('strsort'), eval("strsort --version | sed -n '1s/.* //p'"), topic: versions, emit: versions_strsort

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: "${meta.id}"
    def device = task.accelerator ? 'gpu' : 'cpu'
    """
    strsort \\
        $args \\
        --device=$device \\
        --threads=$task.cpus \\
        -T . \\
        -o ${prefix}.${suffix} \\
        -- $lines
    """

    stub:
    prefix = task.ext.prefix ?: "${meta.id}"
    def write = suffix.endsWith('.gz') ? 'echo "" | gzip >' : 'touch'
    """
    $write ${prefix}.${suffix}
    """
}
