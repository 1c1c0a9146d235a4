set edit:completion:arg-completer[aleph-discover] = { |@words|
    var index = (count $words)
    set index = (- $index 1)

    put (env _CLAP_IFS="\n" _CLAP_COMPLETE_INDEX=(to-string $index) ALEPH_DISCOVER_COMPLETE="elvish" aleph-discover -- $@words) | to-lines
}
